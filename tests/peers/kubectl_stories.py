"""The recordings: kubectl's verbs on the kinds that Tenon uses, as short stories.

Each story creates its objects and removes them. `s.k` runs kubectl, `s.driver` acts as another user.
"""
# SPDX-License-Identifier: Apache-2.0
import json

from kubectl_refusals import refusals

PAUSE = "public.ecr.aws/eks-distro/kubernetes/pause:3.7"

CONFIG_MAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: red, labels: {tier: front}}
data: {colour: red, size: "3"}
"""
CONFIG_MAP_CHANGED = CONFIG_MAP.replace('size: "3"', 'weight: "9"')
GENERATED = """
apiVersion: v1
kind: ConfigMap
metadata: {generateName: part-, namespace: red}
"""
POD = f"""
apiVersion: v1
kind: Pod
metadata: {{name: web, namespace: green, labels: {{app: web}}}}
spec:
  containers:
    - name: web
      image: {PAUSE}
      ports: [{{containerPort: 80}}]
      resources: {{requests: {{cpu: 250m, memory: 1Gi}}, limits: {{memory: 1Gi}}}}
"""
BAD_POD = f"""
apiVersion: v1
kind: Pod
metadata: {{name: bad, namespace: green}}
spec:
  restartPolicy: Sometimes
  containers: [{{name: bad, image: "{PAUSE}", resources: {{requests: {{cpu: "2"}}, limits: {{cpu: "1"}}}}}}]
"""
UNKNOWN_FIELD = POD.replace("spec:", "spec:\n  colour: red")
DEPLOYMENT = f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: inflate, namespace: blue}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: inflate}}}}
  template:
    metadata: {{labels: {{app: inflate}}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{{name: inflate, image: "{PAUSE}", resources: {{requests: {{cpu: "1"}}}}}}]
"""
NODES = "---".join(f"""
apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels: {{kubernetes.io/os: linux, topology.kubernetes.io/zone: {zone}, node.kubernetes.io/instance-type: m5.large}}
spec: {{providerID: "aws:///{zone}/i-{name}"}}
""" for name, zone in (("n1", "us-east-1a"), ("n2", "us-east-1b")))
NODE_STATUS = {
    "capacity": {"cpu": "2", "memory": "8Gi", "pods": "29"},
    "allocatable": {"cpu": "1930m", "memory": "7Gi", "pods": "29"},
    "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": "n1"}],
    "nodeInfo": {"machineID": "m", "systemUUID": "s", "bootID": "b", "kernelVersion": "6.1.0", "osImage": "Amazon Linux 2023",
                 "containerRuntimeVersion": "containerd://1.7.0", "kubeletVersion": "v1.34.1", "kubeProxyVersion": "",
                 "operatingSystem": "linux", "architecture": "amd64"},
    "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "up",
                    "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
BUDGET = """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: keep, namespace: yellow}
spec: {minAvailable: 1, selector: {matchLabels: {app: kept}}}
"""
BAD_BUDGET = BUDGET.replace("minAvailable: 1", "minAvailable: 1, maxUnavailable: 1")
NODE_CLASS = """
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: tried}
spec:
  role: KarpenterNodeRole-demo
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
"""
NODE_POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: tried}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: tried}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
  limits: {cpu: "100"}
"""
BAD_OPERATOR = NODE_POOL.replace("operator: In", "operator: Within")
BAD_LABEL = NODE_POOL.replace("spec:\n      nodeClassRef", "metadata: {labels: {karpenter.sh/nodepool: mine}}\n    spec:\n      nodeClassRef")
BAD_BUDGETS = NODE_POOL.replace("limits:", 'disruption: {consolidateAfter: 30s, budgets: [{nodes: "10%", schedule: "@daily"}]}\n  limits:')
DAEMON_POD = """
apiVersion: v1
kind: Pod
metadata:
  name: agent-n1
  namespace: yellow
  ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: "%s", controller: true}]
spec:
  nodeName: n1
  containers: [{name: agent, image: pause}]
"""
DAEMON_SET = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: yellow}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: pause}]}
"""


def pod_on(name, node, namespace, app, grace=0):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": {"app": app}},
            "spec": {"nodeName": node, "terminationGracePeriodSeconds": grace, "containers": [{"name": "c", "image": "pause"}]}}


def running(ip):
    return {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "startTime": "2026-01-01T00:00:00Z",
            "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": "2026-01-01T00:00:00Z"}],
            "containerStatuses": [{"name": "web", "image": PAUSE, "imageID": "", "ready": True, "restartCount": 0, "started": True,
                                   "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, "lastState": {}}]}


def sed(s, expression):
    """An editor that changes the file by a sed expression."""
    path = s.file("editor", f"#!/bin/sh\nexec sed -i '{expression}' \"$1\"\n")
    (s.home / "editor").chmod(0o755)
    return path


def discovery(s):
    s.k("api-resources", "--cache-dir=cold")
    s.k("api-resources", "--namespaced=false", "--api-group=karpenter.sh", "-o", "name")
    s.k("api-versions")
    s.k("version", "-o", "json")
    s.k("get", "--raw", "/readyz")
    s.k("get", "--raw", "/nowhere", exit=1)
    s.k("get", "colours", exit=1)


def config_maps(s):
    s.k("create", "namespace", "red")
    s.k("get", "namespaces")
    s.k("-n", "red", "create", "configmap", "plain", "--from-literal=a=1", "--from-literal=b=2")
    s.k("-n", "red", "create", "configmap", "plain", exit=1)
    path = s.file("settings.yaml", CONFIG_MAP)
    s.k("apply", "-f", path)
    s.k("apply", "-f", path)
    s.k("diff", "-f", s.file("changed.yaml", CONFIG_MAP_CHANGED), exit=1)
    s.k("apply", "-f", s.file("changed.yaml", CONFIG_MAP_CHANGED))
    s.k("apply", "--dry-run=server", "-f", path)
    for form in ("wide", "json", "yaml", "name", "jsonpath={.items[*].metadata.name}", "custom-columns=N:.metadata.name"):
        s.k("-n", "red", "get", "configmaps", "-o", form)
    s.k("-n", "red", "get", "configmaps", "--show-labels")
    s.k("-n", "red", "get", "configmap", "settings", "-o", "go-template={{.data.colour}}")
    s.k("-n", "red", "get", "configmap", "absent", exit=1)
    s.k("-n", "red", "get", "configmap", "absent", "--ignore-not-found")
    s.k("-n", "red", "get", "configmaps", "-l", "tier in (front,back),!gone")
    s.k("get", "configmaps", "-A", "-l", "tier=front")
    s.k("-n", "red", "get", "configmaps", "-l", "tier in front", exit=1)
    s.k("-n", "red", "get", "configmaps", "--chunk-size=1")
    s.k("-n", "red", "get", "configmaps", "--field-selector=metadata.name=plain", "--sort-by=.metadata.name")
    s.k("-n", "red", "label", "configmap", "plain", "tier=back")
    s.k("-n", "red", "label", "configmap", "plain", "tier=side", "--overwrite")
    s.k("-n", "red", "label", "configmap", "plain", "tier-")
    s.k("-n", "red", "annotate", "configmap", "plain", "note=hello")
    s.k("-n", "red", "patch", "configmap", "plain", "--type=merge", "-p", '{"data":{"a":null,"c":"3"}}')
    s.k("-n", "red", "patch", "configmap", "plain", "--type=json", "-p", '[{"op":"replace","path":"/data/c","value":"4"}]')
    s.k("-n", "red", "patch", "configmap", "plain", "--type=json", "-p", '[{"op":"test","path":"/data/c","value":"5"}]', exit=1)
    s.k("-n", "red", "patch", "configmap", "plain", "--type=strategic", "-p", '{"data":{"d":"5"}}')
    s.k("-n", "red", "patch", "configmap", "plain", "--type=merge", "-p", '{"data":{"d":5}}', exit=1)
    s.k("-n", "red", "edit", "configmap", "plain", editor=sed(s, 's/d: "5"/d: "6"/'))
    s.k("replace", "-f", path)
    s.k("apply", "--server-side", "--field-manager=other", "-f", path)
    contested = s.file("contested.yaml", CONFIG_MAP.replace("colour: red", "colour: green"))
    s.k("apply", "--server-side", "--field-manager=other", "-f", contested, exit=1)
    s.k("apply", "--server-side", "--force-conflicts", "--field-manager=other", "-f", contested)
    s.k("create", "-f", s.file("generated.yaml", GENERATED))
    s.k("-n", "red", "delete", "configmap", "settings")
    s.k("-n", "red", "delete", "configmap", "settings", exit=1)
    s.k("-n", "red", "delete", "configmaps", "--all")
    s.k("delete", "namespace", "red", "--wait=false")


def pods(s):
    s.k("create", "namespace", "green")
    path = s.file("pod.yaml", POD)
    s.k("apply", "-f", path)
    s.k("-n", "green", "run", "helper", "--image=" + PAUSE, "--labels=app=helper")
    s.k("apply", "-f", s.file("bad.yaml", BAD_POD), exit=1)
    s.k("apply", "-f", s.file("unknown.yaml", UNKNOWN_FIELD), exit=1)
    s.k("-n", "green", "get", "pods")
    s.setup("the pod is bound", lambda: s.driver("POST", "/api/v1/namespaces/green/pods/web/binding", {
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "web"}, "target": {"kind": "Node", "name": "n9"}}))
    status = "/api/v1/namespaces/green/pods/web"
    s.k("-n", "green", "wait", "pod/web", "--for=condition=Ready", during=lambda: s.patch_status(status, running("10.1.0.1")))
    for form in ("wide", "json", "yaml", "name"):
        s.k("-n", "green", "get", "pod", "web", "-o", form)
    s.k("-n", "green", "get", "pods", "--field-selector=spec.nodeName=n9")
    s.k("-n", "green", "get", "pods", "--field-selector=status.phase!=Running")
    s.k("-n", "green", "get", "pods", "--field-selector=spec.colour=red", exit=1)
    s.k("-n", "green", "describe", "pod", "web")
    s.k("-n", "green", "label", "pods", "--all", "season=summer")
    s.k("-n", "green", "patch", "pod", "web", "-p",
        '{"spec":{"containers":[{"name":"web","image":"pause:3.8"}]}}')
    s.k("-n", "green", "patch", "pod", "web", "-p", '{"spec":{"containers":[{"name":"web","ports":[{"containerPort":81}]}]}}', exit=1)
    s.k("-n", "green", "patch", "pod", "web", "--type=json", "-p", '[{"op":"remove","path":"/metadata/labels/season"}]')

    def changes():
        s.driver("PATCH", status, {"metadata": {"labels": {"watched": "yes"}}}, "application/merge-patch+json")
        s.driver("DELETE", "/api/v1/namespaces/green/pods/helper?gracePeriodSeconds=0")
    s.k("-n", "green", "get", "pods", "-w", during=changes, events=2)
    s.k("-n", "green", "get", "pods", "-w", "-o", "name", "--watch-only",
        during=lambda: s.driver("PATCH", status, {"metadata": {"labels": {"watched": "no"}}}, "application/merge-patch+json"), events=1)
    s.k("-n", "green", "delete", "pod", "web", "--grace-period=5", "--wait=false")
    s.k("-n", "green", "get", "pods")
    s.k("-n", "green", "wait", "pod/web", "--for=delete",
        during=lambda: s.driver("DELETE", status + "?gracePeriodSeconds=0"))
    s.k("-n", "green", "run", "brief", "--image=" + PAUSE)
    s.k("-n", "green", "delete", "pod", "brief", "--force", "--grace-period=0")
    s.k("delete", "namespace", "green", "--wait=false")


def deployments(s):
    s.k("create", "namespace", "blue")
    path = s.file("deployment.yaml", DEPLOYMENT)
    s.k("apply", "-f", path)
    s.k("apply", "-f", s.file("renamed.yaml", DEPLOYMENT.replace("matchLabels: {app: inflate}", "matchLabels: {app: other}")), exit=1)
    s.k("-n", "blue", "get", "deployments")
    s.k("-n", "blue", "get", "deployment", "inflate", "-o", "wide")
    s.k("-n", "blue", "get", "deployment", "inflate", "-o", "yaml")
    s.k("-n", "blue", "scale", "deployment", "inflate", "--replicas=5")
    s.k("-n", "blue", "scale", "deployment", "inflate", "--replicas=4", "--current-replicas=9", exit=1)
    s.k("-n", "blue", "patch", "deployment", "inflate", "--type=merge", "-p", '{"spec":{"replicas":-1}}', exit=1)
    here = "/apis/apps/v1/namespaces/blue/deployments/inflate"

    def rolled_out(replicas):
        def act():
            generation = s.driver("GET", here)["metadata"]["generation"]
            s.patch_status(here, {"observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas,
                                  "readyReplicas": replicas, "availableReplicas": replicas})
        return act
    s.k("-n", "blue", "rollout", "status", "deployment", "inflate", during=rolled_out(5))
    s.k("-n", "blue", "get", "deployments", "-A", "-l", "app!=x", "--field-selector=metadata.namespace=blue")
    s.k("-n", "blue", "set", "image", "deployment/inflate", "inflate=pause:3.8")
    s.k("-n", "blue", "rollout", "restart", "deployment", "inflate")
    s.k("-n", "blue", "rollout", "pause", "deployment", "inflate")
    s.k("-n", "blue", "rollout", "resume", "deployment", "inflate")
    s.k("-n", "blue", "describe", "deployment", "inflate")
    s.k("-n", "blue", "edit", "deployment", "inflate", editor=sed(s, "s/replicas: 5/replicas: 6/"))
    s.k("-n", "blue", "get", "all")
    s.k("-n", "blue", "get", "deployments,replicasets,daemonsets")
    s.k("-n", "blue", "get", "deployments", "-w", during=rolled_out(6), events=1)
    s.k("apply", "--server-side", "-f", s.file("second.yaml", DEPLOYMENT.replace("name: inflate, namespace", "name: second, namespace")))
    s.k("-n", "blue", "delete", "deployment", "second", "--cascade=orphan", "--wait=false")
    s.k("-n", "blue", "delete", "deployment", "inflate", "--wait=false")
    s.k("delete", "namespace", "blue", "--wait=false")


def nodes(s):
    s.k("create", "namespace", "yellow")
    s.k("apply", "-f", s.file("nodes.yaml", NODES))
    s.setup("the nodes are ready", lambda: [s.patch_status("/api/v1/nodes/" + name, NODE_STATUS) for name in ("n1", "n2")])
    for form in ("wide", "json", "name"):
        s.k("get", "nodes", "-o", form)
    s.k("get", "nodes", "-L", "topology.kubernetes.io/zone", "-l", "node.kubernetes.io/instance-type in (m5.large)")
    s.k("label", "node", "n1", "team=a")
    s.k("annotate", "node", "n1", "karpenter.sh/do-not-disrupt=true")
    s.k("taint", "node", "n1", "dedicated=a:NoSchedule")
    s.k("taint", "node", "n1", "dedicated=b:NoSchedule", "--overwrite")
    s.k("taint", "node", "n1", "dedicated-")
    s.k("describe", "node", "n1")
    s.k("cordon", "n1")
    s.k("cordon", "n1")
    s.k("get", "node", "n1")
    s.k("uncordon", "n1")
    s.k("apply", "-f", s.file("budget.yaml", BUDGET))
    s.k("apply", "-f", s.file("bad-budget.yaml", BAD_BUDGET), exit=1)
    budget = "/apis/policy/v1/namespaces/yellow/poddisruptionbudgets/keep"
    blocked = {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}

    def crowd():
        made = s.driver("POST", "/apis/apps/v1/namespaces/yellow/daemonsets", as_json(DAEMON_SET))
        s.driver("POST", "/api/v1/namespaces/yellow/pods", as_json(DAEMON_POD % made["metadata"]["uid"]))
        for name, app in (("kept", "kept"), ("loose", "loose")):
            s.driver("POST", "/api/v1/namespaces/yellow/pods", pod_on(name, "n1", "yellow", app))
            s.patch_status("/api/v1/namespaces/yellow/pods/" + name, running("10.1.0.2"))
        s.patch_status(budget, blocked)
    s.setup("pods run on n1; the budget forbids the end of one", crowd)
    s.k("-n", "yellow", "get", "poddisruptionbudgets")
    # Debian's kubectl requests policy/v1beta1, which was removed in 1.25.
    s.k("-n", "yellow", "describe", "poddisruptionbudget", "keep", exit=0 if s.modern() else 1)
    s.k("drain", "n1", exit=1)
    s.k("drain", "n1", "--force", "--ignore-daemonsets", "--timeout=2s", exit=1)
    s.k("-n", "yellow", "get", "pods", "-o", "wide")
    s.setup("the budget allows one", lambda: s.patch_status(budget, dict(blocked, disruptionsAllowed=1)))
    s.k("drain", "n1", "--force", "--ignore-daemonsets", "--timeout=20s")
    s.k("-n", "yellow", "get", "poddisruptionbudget", "keep", "-o", "json")
    s.k("uncordon", "n1")
    s.k("delete", "node", "n1", "n2")
    s.setup("what is left goes", lambda: [s.driver("DELETE", path) for path in (
        budget, "/apis/apps/v1/namespaces/yellow/daemonsets/agent", "/api/v1/namespaces/yellow/pods/agent-n1?gracePeriodSeconds=0")])
    s.k("delete", "namespace", "yellow", "--wait=false")


def as_json(text):
    import yaml
    return json.loads(json.dumps(yaml.safe_load(text)))


def node_pools(s):
    s.k("apply", "-f", s.file("class.yaml", NODE_CLASS))
    path = s.file("pool.yaml", NODE_POOL)
    s.k("apply", "-f", path)
    s.k("apply", "-f", path)
    for name, text in (("operator", BAD_OPERATOR), ("label", BAD_LABEL), ("budgets", BAD_BUDGETS)):
        s.k("apply", "-f", s.file(name + ".yaml", text.replace("name: tried}\nspec", "name: refused}\nspec")), exit=1)
    s.k("apply", "-f", s.file("unknown.yaml", NODE_POOL.replace("limits:", "colour: red\n  limits:")), exit=1)
    s.k("get", "nodepools")
    s.k("get", "nodepool", "tried", "-o", "wide")
    s.k("get", "nodepool", "tried", "-o", "yaml")
    s.k("get", "ec2nodeclasses")
    s.k("get", "nodeclaims")
    s.k("get", "karpenter")
    s.k("describe", "nodepool", "tried")
    s.k("patch", "nodepool", "tried", "--type=merge", "-p", '{"spec":{"limits":{"cpu":"200"}}}')
    s.k("patch", "nodepool", "tried", "--type=merge", "-p", '{"spec":{"weight":101}}', exit=1)
    s.k("patch", "nodepool", "tried", "--type=json", "-p", '[{"op":"add","path":"/spec/weight","value":10}]')
    s.k("patch", "nodepool", "tried", "--type=strategic", "-p", '{"spec":{"weight":11}}', exit=1)
    s.k("edit", "nodepool", "tried", editor=sed(s, "s/weight: 10/weight: 20/"))
    s.k("label", "nodepool", "tried", "team=a")
    s.k("annotate", "nodepool", "tried", "note=x")
    s.k("scale", "nodepool", "tried", "--replicas=1", exit=1)
    s.k("diff", "-f", path, exit=1)
    s.k("apply", "--server-side", "--force-conflicts", "-f", path)
    here = "/apis/karpenter.sh/v1/nodepools/tried"
    ready = {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "",
                             "lastTransitionTime": "2026-01-01T00:00:00Z"}], "resources": {"nodes": "0"}}
    s.k("wait", "nodepool/tried", "--for=condition=Ready", during=lambda: s.patch_status(here, ready))
    s.k("get", "nodepools", "-w",
        during=lambda: s.driver("PATCH", here, {"spec": {"weight": 30}}, "application/merge-patch+json"), events=1)

    def held():
        s.driver("PATCH", here, {"metadata": {"finalizers": ["karpenter.sh/termination"]}}, "application/merge-patch+json")
    s.setup("a finalizer holds the pool", held)
    s.k("delete", "nodepool", "tried", "--wait=false")
    s.k("get", "nodepool", "tried", "-o", "json")
    s.setup("the finalizer goes",
            lambda: s.driver("PATCH", here, {"metadata": {"finalizers": None}}, "application/merge-patch+json"))
    s.k("delete", "-f", path, exit=1)
    s.k("delete", "ec2nodeclass", "tried")


def events(s):
    s.k("create", "namespace", "white")
    s.k("-n", "white", "run", "web", "--image=" + PAUSE)

    def tell():
        pod = s.driver("GET", "/api/v1/namespaces/white/pods/web")
        about = {"apiVersion": "v1", "kind": "Pod", "name": "web", "namespace": "white", "uid": pod["metadata"]["uid"]}
        for index, reason in enumerate(("Nominated", "FailedScheduling")):
            s.driver("POST", "/api/v1/namespaces/white/events", {
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": f"web.{index}", "namespace": "white"},
                "involvedObject": about, "reason": reason, "message": "as an example", "type": ("Normal", "Warning")[index],
                "source": {"component": "karpenter"}, "count": index + 1,
                "firstTimestamp": f"2026-01-01T00:00:0{index}Z", "lastTimestamp": f"2026-01-01T00:00:0{index}Z"})
    s.setup("two events", tell)
    s.k("-n", "white", "get", "events")
    s.k("-n", "white", "get", "events", "-o", "wide", "--sort-by=.lastTimestamp")
    s.k("-n", "white", "get", "events", "--field-selector=type=Warning,involvedObject.name=web")
    s.k("-n", "white", "describe", "pod", "web")
    if s.modern():
        s.k("-n", "white", "events")
        s.k("-n", "white", "events", "--for=pod/web", "--types=Warning")
    s.k("-n", "white", "delete", "events", "--all")
    s.k("-n", "white", "delete", "pod", "web", "--force", "--grace-period=0")
    s.k("delete", "namespace", "white", "--wait=false")


STORIES = {"discovery": discovery, "config-maps": config_maps, "pods": pods, "deployments": deployments, "nodes": nodes,
           "node-pools": node_pools, "events": events, "refusals": refusals}
