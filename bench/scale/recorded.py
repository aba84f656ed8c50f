"""recorded.py FILE NODES PODS [PENDING]: writes a recorded cluster, one object a line as an API server stores it.

The objects are those of bench/reading_dump.py with all their fields: managedFields, images, probes, environment, statuses
of containers. PODS run on NODES nodes of one NodePool, each with its NodeClaim; PENDING pods wait for a node, and each
thousandth of them asks for more than any machine has. Nodes neither expire nor are consolidated, so that only the pods of a
measurement lead to decisions. Equal arguments give equal bytes.
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


def claim(i):
    one = dump.claim(i, False)
    one["spec"]["expireAfter"] = "Never"
    one["metadata"]["annotations"] = {"karpenter.k8s.aws/tagged": "true",
                                      "compatibility.karpenter.k8s.aws/cluster-name-tagged": "true"}
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
        yield dump.node(i, False)
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
