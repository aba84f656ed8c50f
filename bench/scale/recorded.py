"""recorded.py FILE NODES PODS [PENDING]: writes a recorded cluster, one object a line as an API server stores it.

The objects are those of bench/reading_dump.py with all their fields: managedFields, images, probes, environment, statuses
of containers. PODS run on NODES nodes of one NodePool, each with its NodeClaim; PENDING pods wait for a node, and each
thousandth of them asks for more than any machine has. Nodes neither expire nor are consolidated, so that only the pods of a
measurement lead to decisions. Equal arguments give equal bytes.

NodeClaims are as this controller leaves them, so that it finds nothing to change: the first decision does not wait for a
write to each of them. The hashes are those of the NodePool and the class below; another one would be drift.
"""
# SPDX-License-Identifier: Apache-2.0
import hashlib
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import reading_dump as dump  # noqa: E402

dump.TYPES = [("m5.4xlarge", 16, 64), ("c5n.4xlarge", 16, 42), ("m5.8xlarge", 32, 128), ("c5.9xlarge", 36, 72)]
UNPLACEABLE_EVERY = 1000
# These requirements are those of the first NodePool in Karpenter's documentation.
GENERAL = [{"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"]},
           {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["2"]}]
ROLE = "KarpenterNodeRole-demo"  # of the emulated account, as the tag of its subnets and security groups:
DISCOVERY = {"karpenter.sh/discovery": "demo"}
HASHES = {"karpenter.sh/nodepool-hash": "17369979337536258260", "karpenter.sh/nodepool-hash-version": "v3",
          "karpenter.k8s.aws/ec2nodeclass-hash": "16133142526538634577",
          "karpenter.k8s.aws/ec2nodeclass-hash-version": "tenon3"}


def digest(*words):
    """Replaces that of reading_dump, which would take minutes for so many objects."""
    return int.from_bytes(hashlib.blake2b("/".join(map(str, words)).encode(), digest_size=8).digest(), "big")


dump.digest = digest


def pools():
    for one in dump.pools(False):
        if one["kind"] == "NodePool":
            one["spec"]["disruption"] = {"budgets": [{"nodes": "0"}], "consolidateAfter": "Never",
                                         "consolidationPolicy": "WhenEmpty"}
            one["spec"]["template"]["spec"]["expireAfter"] = "Never"
            one["spec"]["template"]["spec"]["requirements"] += GENERAL
        else:
            one["spec"]["role"] = ROLE
            one["spec"]["subnetSelectorTerms"] = one["spec"]["securityGroupSelectorTerms"] = [{"tags": DISCOVERY}]
        yield one


def type_labels(i):
    name, cpus, gib = dump.TYPES[i % len(dump.TYPES)]
    return {"karpenter.k8s.aws/ec2nodeclass": "default", "karpenter.k8s.aws/instance-cpu": str(cpus),
            "karpenter.k8s.aws/instance-generation": "5", "karpenter.k8s.aws/instance-hypervisor": "nitro",
            "karpenter.k8s.aws/instance-memory": str(gib * 1024), "karpenter.k8s.aws/instance-size": name.split(".")[1]}


def node(i):
    one = dump.node(i, False)
    one["metadata"]["labels"].update(type_labels(i))
    one["metadata"]["finalizers"] = ["karpenter.sh/termination"]
    return one


def claim(i):
    one = dump.claim(i, False)
    one["spec"]["expireAfter"] = "Never"
    one["metadata"]["labels"].update(type_labels(i))
    one["metadata"]["finalizers"] = ["karpenter.sh/termination"]
    one["metadata"]["annotations"] = {"karpenter.k8s.aws/tagged": "true",
                                      "compatibility.karpenter.k8s.aws/cluster-name-tagged": "true",
                                      "tenon.dev/launched-by": "tenon", **HASHES}
    found = "ConsistentStateFound"  # stands before Ready, the last one
    one["status"]["conditions"].insert(-1, dump.condition(found, reason=found, message=""))
    one["status"]["lastPodEventTime"] = one["metadata"]["creationTimestamp"]
    return one


def pending(i):
    """The pod as kube-scheduler leaves it that finds no node."""
    one = dump.pod(i, 1, False)
    del one["spec"]["nodeName"]
    one["status"] = {"phase": "Pending", "qosClass": "Burstable", "conditions": [dump.condition(
        "PodScheduled", "False", reason="Unschedulable", message="0/0 nodes are available: preemption is not helpful.")]}
    if i % UNPLACEABLE_EVERY == 0:
        one["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "10000"
    return one


def objects(nodes, pods, waiting):
    yield from pools()
    for i in range(nodes):
        yield node(i)
        yield claim(i)
    for i in range(pods):
        yield dump.pod(i, nodes, False)
    for i in range(waiting):
        yield pending(i)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    path, nodes, pods, *rest = sys.argv[1:]
    with open(path + ".part", "w", encoding="utf-8") as file:
        for one in objects(int(nodes), int(pods), int(rest[0]) if rest else 0):
            file.write(json.dumps(one, separators=(",", ":")) + "\n")
    os.rename(path + ".part", path)


if __name__ == "__main__":
    main()
