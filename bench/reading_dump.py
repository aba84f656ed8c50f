#!/usr/bin/env python3
"""Writes a cluster as `kubectl get nodes,nodeclaims,nodepools,ec2nodeclasses,pods -A` prints it.

    bench/reading_dump.py FORMAT NODES PODS [--lean] >FILE

FORMAT: json and yaml are one List (-o json, -o yaml), stream is one YAML document for each object. The objects have the
fields that an API server stores and a plan does not read: managedFields, images, probes, environment, statuses of
containers. --lean leaves them out and writes no white space into JSON. Equal arguments give equal bytes.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import re
import sys

DEPLOYMENTS = 300
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
CREATED = "2026-08-31T08:15:42Z"
TYPES = [("m5.4xlarge", 16, 64), ("c5.4xlarge", 16, 32), ("r5.2xlarge", 8, 64), ("m6i.8xlarge", 32, 128)]


def digest(*words):
    """Returns a pseudo-random number that is the same on every platform."""
    state = 14695981039346656037
    for byte in "/".join(map(str, words)).encode():
        state = (state ^ byte) * 1099511628211 % (1 << 64)
    return state


def uid(*words):
    text = f"{digest(*words):016x}{digest('b', *words):016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def suffix(size, *words):
    letters, number = "bcdfghjklmnpqrstvwxz2456789", digest("s", *words)
    return "".join(letters[number // 27**i % 27] for i in range(size))


def managed(manager, fields, subresource=None):
    entry = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields, "manager": manager,
             "operation": "Update", "time": CREATED}
    return {**entry, "subresource": subresource} if subresource else entry


def metadata(kind, name, labels, namespace=None, **more):
    out = {"creationTimestamp": CREATED, "labels": labels, "name": name, "resourceVersion": str(digest(kind, name) % 10**9),
           "uid": uid(kind, namespace, name), **more}
    return {**out, "namespace": namespace} if namespace else out


def condition(kind, status="True", **more):
    return {"lastProbeTime": None, "lastTransitionTime": CREATED, "status": status, "type": kind, **more}


def pools(lean):
    del lean
    requirements = [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}]
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    yield {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": metadata("NodePool", "default", {}),
           "spec": {"disruption": {"budgets": [{"nodes": "10%"}], "consolidateAfter": "1m",
                                   "consolidationPolicy": "WhenEmptyOrUnderutilized"},
                    "template": {"spec": {"expireAfter": "720h", "nodeClassRef": reference, "requirements": requirements}}}}
    yield {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": metadata("EC2NodeClass", "default", {}),
           "spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}], "role": "node",
                    "securityGroupSelectorTerms": [{"tags": {"discovery": "prod"}}],
                    "subnetSelectorTerms": [{"tags": {"discovery": "prod"}}]}}


def node_name(i):
    return f"ip-10-{i // 65536}-{i // 256 % 256}-{i % 256}.ec2.internal"


def node_labels(i):
    name = TYPES[i % len(TYPES)][0]
    return {"karpenter.k8s.aws/instance-category": name[0], "karpenter.k8s.aws/instance-family": name.split(".")[0],
            "karpenter.sh/capacity-type": "on-demand", "karpenter.sh/nodepool": "default",
            "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": name,
            "topology.kubernetes.io/region": "us-east-1", "topology.kubernetes.io/zone": ZONES[i % len(ZONES)]}


def node(i, lean):
    name, (_, cpus, gib) = node_name(i), TYPES[i % len(TYPES)]
    labels = {**node_labels(i), "karpenter.sh/initialized": "true", "karpenter.sh/registered": "true",
              "kubernetes.io/hostname": name}
    amounts = {"cpu": str(cpus), "ephemeral-storage": "104845292Ki", "hugepages-2Mi": "0", "memory": f"{gib * 1000000}Ki",
               "pods": "110"}
    out = {"apiVersion": "v1", "kind": "Node", "metadata": metadata("Node", name, labels),
           "spec": {"providerID": f"aws:///{ZONES[i % len(ZONES)]}/i-{digest('node', i):017x}"},
           "status": {"allocatable": {**amounts, "cpu": f"{cpus * 1000 - 110}m"}, "capacity": amounts,
                      "conditions": [condition("Ready", reason="KubeletReady", message="kubelet is posting ready status")]}}
    if lean:
        return out
    out["metadata"]["managedFields"] = [managed("kubelet", {"f:metadata": {"f:labels": {f"f:{key}": {} for key in labels}}})]
    out["status"]["images"] = [{"names": [f"registry.example.com/team/app-{n}@sha256:{uid(n)}", f"registry.example.com/a:{n}"],
                                "sizeBytes": 40000000 + n} for n in range(40)]
    out["status"]["nodeInfo"] = {"architecture": "amd64", "bootID": uid("boot", i), "kernelVersion": "6.1.94",
                                 "kubeletVersion": "v1.33.1", "operatingSystem": "linux", "osImage": "Amazon Linux 2023"}
    return out


def claim(i, lean):
    name = f"default-{suffix(5, 'claim', i)}{i}"
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    owner = {"apiVersion": "karpenter.sh/v1", "blockOwnerDeletion": True, "kind": "NodePool", "name": "default",
             "uid": uid("NodePool", None, "default")}
    out = {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
           "metadata": metadata("NodeClaim", name, node_labels(i), ownerReferences=[owner]),
           "spec": {"expireAfter": "720h", "nodeClassRef": reference,
                    "requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In",
                                      "values": [TYPES[i % len(TYPES)][0]]}]},
           "status": {"conditions": [condition(kind, reason=kind, message="") for kind in
                                     ("Launched", "Registered", "Initialized", "Ready")],
                      "nodeName": node_name(i), "providerID": f"aws:///{ZONES[i % len(ZONES)]}/i-{digest('node', i):017x}"}}
    if not lean:
        out["metadata"]["managedFields"] = [managed("karpenter", {"f:status": {"f:conditions": {}}}, "status")]
    return out


def container(deployment, lean):
    cpu, memory = 50 * (1 + deployment % 10), 64 * (1 + deployment % 7)
    out = {"image": f"registry.example.com/team/app-{deployment}:1.{deployment}", "name": "app",
           "resources": {"limits": {"memory": f"{2 * memory}Mi"}, "requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}
    if lean:
        return out
    probe = {"failureThreshold": 3, "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10,
             "successThreshold": 1, "timeoutSeconds": 1}
    return {**out, "imagePullPolicy": "IfNotPresent", "livenessProbe": probe, "readinessProbe": probe,
            "env": [{"name": "NODE_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
                    {"name": "JAVA_OPTS", "value": "-XX:MaxRAMPercentage=75.0 -Dlog.format=\"%d{ISO8601} %p\" -Xss1m"},
                    {"name": "SCRIPT", "value": "#!/bin/sh\nset -eu\nexec /app\n"}],
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}


def pod(i, nodes, lean):
    deployment = digest("pod", i) % DEPLOYMENTS
    app, namespace = f"app-{deployment}", f"team-{deployment % 20}"
    pod_hash = suffix(10, "hash", deployment)
    name = f"{app}-{pod_hash}-{suffix(5, 'pod', i)}{i}"
    owner = {"apiVersion": "apps/v1", "blockOwnerDeletion": True, "controller": True, "kind": "ReplicaSet",
             "name": f"{app}-{pod_hash}", "uid": uid("ReplicaSet", app)}
    labels = {"app.kubernetes.io/name": app, "pod-template-hash": pod_hash}
    spec = {"containers": [container(deployment, lean)], "nodeName": node_name(i % nodes)}
    status = {"phase": "Running"}
    out = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata("Pod", name, labels, namespace, ownerReferences=[owner]),
           "spec": spec, "status": status}
    if deployment % 4 == 0:
        spec["topologySpreadConstraints"] = [{"labelSelector": {"matchLabels": {"app.kubernetes.io/name": app}}, "maxSkew": 1,
                                              "topologyKey": "topology.kubernetes.io/zone",
                                              "whenUnsatisfiable": "ScheduleAnyway"}]
    if lean:
        return out
    fields = {"f:metadata": {"f:labels": {f"f:{key}": {} for key in labels}, "f:ownerReferences": {
        ".": {}, 'k:{"uid":"' + owner["uid"] + '"}': {}}}, "f:spec": {"f:containers": {'k:{"name":"app"}': {
            ".": {}, "f:env": {".": {}}, "f:image": {}, "f:resources": {".": {}, "f:requests": {".": {}, "f:cpu": {}}}}},
            "f:restartPolicy": {}, "f:schedulerName": {}}}
    out["metadata"]["generateName"] = f"{app}-{pod_hash}-"
    out["metadata"]["annotations"] = {"prometheus.io/scrape": "true", "checksum/config": uid("c", deployment)}
    out["metadata"]["managedFields"] = [managed("kube-controller-manager", fields), managed("kubelet", {
        "f:status": {"f:conditions": {'k:{"type":"Ready"}': {".": {}, "f:status": {}}}, "f:podIP": {}}}, "status")]
    volume = f"kube-api-access-{suffix(5, 'volume', i)}"
    spec["containers"][0]["volumeMounts"] = [{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": volume,
                                              "readOnly": True}]
    spec.update({
        "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "preemptionPolicy": "PreemptLowerPriority", "priority": 0,
        "restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": {},
        "serviceAccountName": "default", "terminationGracePeriodSeconds": 30,
        "tolerations": [{"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists",
                         "tolerationSeconds": 300} for key in ("not-ready", "unreachable")],
        "volumes": [{"name": volume, "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}}]}}]})
    address = f"10.{digest('ip', i) % 256}.{i // 256 % 256}.{i % 256}"
    status.update({
        "conditions": [condition(kind) for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady",
                                                    "PodScheduled")],
        "containerStatuses": [{
            "allocatedResources": spec["containers"][0]["resources"]["requests"],
            "containerID": f"containerd://{digest('c', i):064x}", "image": spec["containers"][0]["image"],
            "imageID": f"registry.example.com/team/{app}@sha256:{digest('i', deployment):064x}", "lastState": {},
            "name": "app", "ready": True, "resources": spec["containers"][0]["resources"], "restartCount": 0,
            "started": True, "state": {"running": {"startedAt": CREATED}}}],
        "hostIP": "10.0.0.1", "podIP": address, "podIPs": [{"ip": address}], "qosClass": "Burstable", "startTime": CREATED})
    return out


def ordered(value):
    """Sorts keys by name, as kubectl prints them."""
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    return [ordered(item) for item in value] if isinstance(value, list) else value


WORDS = ("", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n")
LOOKS_ELSE = re.compile(r"[-+.]?[\d_.]+([eE][-+]?\d+)?|\d{4}-\d\d-\d\dT.*")


def looks_else(text):
    """Returns true if the text without quotes would be read as a number, a boolean, null or a time."""
    return text.lower() in WORDS or LOOKS_ELSE.fullmatch(text) is not None


def plain(text):
    return not (looks_else(text) or text[0] in "-?:,[]{}#&*!|>'\"%@` " or ": " in text or " #" in text or text[-1] in ": ")


def folded(text, indent):
    """Breaks a long scalar where kubectl does: at the first space beyond column 80."""
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + indent > 80:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return ("\n" + " " * (indent + 2)).join(lines + [line])


def scalar(value, indent):
    if not isinstance(value, str):
        return json.dumps(value)
    if "\n" in value:
        body = "".join(" " * (indent + 2) + line + "\n" for line in value.rstrip("\n").split("\n"))
        return "|\n" + body.rstrip("\n")
    if looks_else(value):
        return json.dumps(value)
    return folded(value, indent) if plain(value) else "'" + folded(value.replace("'", "''"), indent) + "'"


def yaml(value, indent=0):
    """Block style as sigs.k8s.io/yaml writes it: lists are not indented within maps."""
    pad = " " * indent
    out = []
    if isinstance(value, dict):
        for key, member in value.items():
            name = json.dumps(key) if looks_else(key) and key != "." else key
            if isinstance(member, dict) and member:
                out.append(f"{pad}{name}:\n{yaml(member, indent + 2)}")
            elif isinstance(member, list) and member:
                out.append(f"{pad}{name}:\n{yaml(member, indent)}")
            else:
                out.append(f"{pad}{name}: {scalar(member, indent)}\n")
        return "".join(out)
    for item in value:
        if isinstance(item, (dict, list)) and item:
            out.append(pad + "- " + yaml(item, indent + 2)[indent + 2:])
        else:
            out.append(f"{pad}- {scalar(item, indent)}\n")
    return "".join(out)


def objects(nodes, pods, lean):
    yield from pools(lean)
    for i in range(nodes):
        yield node(i, lean)
        yield claim(i, lean)
    for i in range(pods):
        yield pod(i, nodes, lean)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("json", "yaml", "stream"):
        sys.exit(__doc__)
    form, nodes, pods, lean = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), "--lean" in sys.argv
    out = sys.stdout
    if form == "json":
        out.write('{"apiVersion":"v1","items":[' if lean else '{\n    "apiVersion": "v1",\n    "items": [\n')
    elif form == "yaml":
        out.write("apiVersion: v1\nitems:\n")
    first = True
    for one in map(ordered, objects(nodes, pods, lean)):
        if form == "json" and lean:
            out.write(("" if first else ",") + json.dumps(one, separators=(",", ":")))
        elif form == "json":
            text = json.dumps(one, indent=4)
            out.write(("" if first else ",\n") + " " * 8 + text.replace("\n", "\n" + " " * 8))
        else:
            out.write(yaml([one]) if form == "yaml" else ("" if first else "---\n") + yaml(one))
        first = False
    if form == "json":
        end = '"kind":"List","metadata":{"resourceVersion":""}}\n'
        out.write("]," + end if lean else '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')
    elif form == "yaml":
        out.write('kind: List\nmetadata:\n  resourceVersion: ""\n')


if __name__ == "__main__":
    main()
