"""Manifests and patches that an API server rejects, each for different reasons, and some that it accepts as their base.

One document for each kind of mistake; `kubectl create` sends it as it is.
"""
# SPDX-License-Identifier: Apache-2.0
import yaml


def pod(name, spec="", container="", metadata=""):
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: grey{metadata}}}
spec:
  containers: [{{name: c, image: pause{container}}}]
{spec}"""


def deployment(name, spec="", labels="app: a", pod_spec=""):
    return f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: grey}}
spec:
  template:
    metadata: {{labels: {{{labels}}}}}
    spec: {{containers: [{{name: c, image: pause}}]{pod_spec}}}
{spec}"""


SELECTOR = "  selector: {matchLabels: {app: a}}\n"


def plain(version, kind, name, rest="", namespaced=True):
    place = ", namespace: grey" if namespaced else ""
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}{place}}}\n{rest}\n"


REFUSED = {
    # Pods: names, containers, ports
    "pod-name": pod("Bad_Name"),
    "pod-label-key": pod("p", metadata=', labels: {"a b": x}'),
    "pod-label-value": pod("p", metadata=', labels: {c: "x y"}'),
    "pod-empty": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: grey}\nspec: {containers: []}\n",
    "pod-nameless": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: grey}\nspec: {containers: [{image: pause}]}\n",
    "pod-imageless": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: grey}\nspec: {containers: [{name: C_1}]}\n",
    "pod-twins": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: grey}\n"
                 "spec: {containers: [{name: c, image: a}, {name: c, image: b}]}\n",
    "pod-ports": pod("p", container=', ports: [{containerPort: 70000, name: Not_a_port}, {name: x}, {containerPort: 80, protocol: ICMP}]'),
    "pod-policies": pod("p", "  dnsPolicy: Mine\n  restartPolicy: Sometimes", ", imagePullPolicy: Sometimes"),
    "pod-env": pod("p", container=', env: [{value: x}, {name: "a=b"}, {name: e, valueFrom: {}}]'),
    "pod-mounts": pod("p", "  volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]",
                      ", volumeMounts: [{name: w, mountPath: /a}, {name: v, mountPath: /b}, {name: v, mountPath: /b}]"),
    "pod-probe": pod("p", container=", livenessProbe: {periodSeconds: -1}"),
    # Pods: resources
    "pod-more-than-limit": pod("p", container=', resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}'),
    "pod-negative": pod("p", container=', resources: {requests: {cpu: "-1"}}'),
    "pod-unknown-resource": pod("p", container=', resources: {requests: {bananas: 1}}'),
    "pod-gpu-without-limit": pod("p", container=', resources: {requests: {nvidia.com/gpu: 1}}'),
    "pod-half-gpu": pod("p", container=', resources: {limits: {nvidia.com/gpu: 500m}}'),
    "pod-no-quantity": pod("p", container=', resources: {requests: {cpu: plenty}}'),
    # Pods: scheduling
    "pod-tolerations": pod("p", "  tolerations: [{operator: Equal, value: x}, {key: k, operator: Exists, value: x}, "
                                "{key: k, effect: Never}, {key: k, effect: NoSchedule, tolerationSeconds: 5}, {key: k, operator: Maybe}]"),
    "pod-node-selector": pod("p", '  nodeSelector: {good: "not a value"}'),
    "pod-node-affinity": pod("p", """  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: a, operator: In}, {key: b, operator: Exists, values: [x]}, {key: c, operator: Gt, values: [1, 2]}, {key: d, operator: Maybe}]
          - matchFields: [{key: metadata.colour, operator: In, values: [x]}]
      preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 0, preference: {matchExpressions: [{key: "", operator: Exists}]}}
""".replace("[1, 2]", '["1", "2"]')),
    "pod-empty-affinity": pod("p", "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}"),
    "pod-pod-affinity": pod("p", """  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {a: b}}}]
      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: Like}]}}}]
"""),
    "pod-spread": pod("p", """  topologySpreadConstraints:
    - {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: Maybe, labelSelector: {matchLabels: {a: b}}}
    - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}
    - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}
    - {maxSkew: 1, topologyKey: host, whenUnsatisfiable: ScheduleAnyway, minDomains: 2, labelSelector: {matchLabels: {a: b}}}
"""),
    "pod-gates": pod("p", "  schedulingGates: [{name: g}, {name: g}]"),
    "pod-deadline": pod("p", "  activeDeadlineSeconds: 0\n  hostname: Not.a.label"),
    "pod-priority-class": pod("p", "  priorityClassName: absent"),
    "pod-nowhere": pod("p").replace("namespace: grey", "namespace: nowhere"),
    "pod-wrong-type": pod("p", "  terminationGracePeriodSeconds: long"),
    "pod-wrong-list": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: grey}\nspec: {containers: {name: c}}\n",
    "pod-owner": pod("p", metadata=", ownerReferences: [{apiVersion: v1, kind: Node, name: '', uid: ''}]"),
    # Workloads
    "deployment-without-selector": deployment("d"),
    "deployment-empty-selector": deployment("d", "  selector: {}"),
    "deployment-mismatch": deployment("d", SELECTOR, labels="app: b"),
    "deployment-recreate": deployment("d", SELECTOR + "  strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}"),
    "deployment-stuck": deployment("d", SELECTOR + "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}"),
    "deployment-percent": deployment("d", SELECTOR + "  strategy: {rollingUpdate: {maxSurge: many, maxUnavailable: 200%}}"),
    "deployment-deadline": deployment("d", SELECTOR + "  minReadySeconds: 30\n  progressDeadlineSeconds: 20\n  revisionHistoryLimit: -1"),
    "deployment-once": deployment("d", SELECTOR, pod_spec=", restartPolicy: OnFailure"),
    "deployment-negative": deployment("d", SELECTOR + "  replicas: -1"),
    "deployment-wrong-type": deployment("d", SELECTOR + "  replicas: three"),
    "daemonset": deployment("d", "  selector: {}").replace("kind: Deployment", "kind: DaemonSet"),
    "replicaset": deployment("d", SELECTOR, labels="app: b").replace("kind: Deployment", "kind: ReplicaSet"),
    "job": plain("batch/v1", "Job", "j", "spec: {backoffLimit: -1, template: {spec: {restartPolicy: Always, containers: [{name: c, image: pause}]}}}"),
    # The rest
    "budget-percent": plain("policy/v1", "PodDisruptionBudget", "b", "spec: {minAvailable: 150%, selector: {matchLabels: {a: b}}}"),
    "budget-selector": plain("policy/v1", "PodDisruptionBudget", "b",
                             "spec: {maxUnavailable: -1, selector: {matchExpressions: [{key: a, operator: In}, {key: b, operator: Like}]}}"),
    "node-taints": plain("v1", "Node", "n7", "spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoSchedule}, {key: b, effect: Never}, {key: c}]}", False),
    "service-without-ports": plain("v1", "Service", "s", "spec: {selector: {a: b}}"),
    "service-ports": plain("v1", "Service", "s", "spec: {ports: [{port: 0}, {port: 80, protocol: ICMP}]}"),
    "service-type": plain("v1", "Service", "s", "spec: {type: Magic, sessionAffinity: Maybe, ports: [{port: 80}]}"),
    "service-name": plain("v1", "Service", "1s", "spec: {ports: [{port: 80}]}"),
    "config-map-key": plain("v1", "ConfigMap", "m", 'data: {"a/b": c}'),
    "config-map-type": plain("v1", "ConfigMap", "m", "data: {a: 1}"),
    "claim-modes": plain("v1", "PersistentVolumeClaim", "c", "spec: {resources: {requests: {storage: 1Gi}}}"),
    "claim-storage": plain("v1", "PersistentVolumeClaim", "c", "spec: {accessModes: [ReadSometimes]}"),
    "storage-class": plain("storage.k8s.io/v1", "StorageClass", "s", "reclaimPolicy: Delete", False),
    "storage-class-mode": plain("storage.k8s.io/v1", "StorageClass", "s", "provisioner: x.io/y\nvolumeBindingMode: Later", False),
    "priority-class": plain("scheduling.k8s.io/v1", "PriorityClass", "p", "value: 2000000000", False),
    "priority-class-name": plain("scheduling.k8s.io/v1", "PriorityClass", "system-mine", "value: 5", False),
    "namespace": plain("v1", "Namespace", "Bad.Name", "", False),
}

BASE = [
    pod("base", "  tolerations: [{key: a, operator: Exists}]"),
    deployment("base", SELECTOR),
    deployment("base", SELECTOR).replace("kind: Deployment", "kind: DaemonSet"),
    plain("v1", "ConfigMap", "base", "immutable: true\ndata: {a: b}"),
    plain("scheduling.k8s.io/v1", "PriorityClass", "base", "value: 5", False),
    plain("storage.k8s.io/v1", "StorageClass", "base", "provisioner: x.io/y", False),
    plain("v1", "PersistentVolumeClaim", "base", "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"),
    plain("batch/v1", "Job", "base", "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: pause}]}}}"),
]
BASES = "\n---\n".join(BASE)

# Patches (JSON, type json) of what BASES made.
REFUSED_PATCHES = [
    ("pod", '[{"op":"add","path":"/spec/containers/-","value":{"name":"d","image":"pause"}}]'),
    ("pod", '[{"op":"remove","path":"/spec/tolerations/0"}]'),
    ("pod", '[{"op":"add","path":"/spec/schedulingGates","value":[{"name":"late"}]}]'),
    ("pod", '[{"op":"replace","path":"/spec/containers/0/image","value":" pause"}]'),
    ("daemonset", '[{"op":"add","path":"/spec/selector/matchLabels/b","value":"c"}]'),
    ("configmap", '[{"op":"replace","path":"/data/a","value":"c"}]'),
    ("configmap", '[{"op":"remove","path":"/immutable"}]'),
    ("priorityclass", '[{"op":"replace","path":"/value","value":6}]'),
    ("storageclass", '[{"op":"replace","path":"/provisioner","value":"x.io/z"}]'),
    ("storageclass", '[{"op":"replace","path":"/volumeBindingMode","value":"WaitForFirstConsumer"}]'),
    ("deployment", '[{"op":"replace","path":"/metadata/name","value":"other"}]'),
    ("deployment", '[{"op":"replace","path":"/metadata/uid","value":"6d3513c6-dad2-4b28-aab9-44ab116f4a72"}]'),
    ("deployment", '[{"op":"remove","path":"/spec/absent"}]'),
]


def refusals(s):
    s.k("create", "namespace", "grey")
    for name, text in REFUSED.items():
        s.k("create", "--validate=false", "-f", s.file(name + ".yaml", text), exit=1)
    s.k("create", "-f", s.file("base.yaml", BASES))
    for kind, patch in REFUSED_PATCHES:
        s.k("-n", "grey", "patch", kind, "base", "--type=json", "-p", patch, exit=1)
    s.k("-n", "grey", "delete", "-f", str(s.home / "base.yaml"), "--wait=false")
    s.k("delete", "namespace", "grey", "--wait=false")


assert all(list(yaml.safe_load_all(text)) for text in REFUSED.values())
