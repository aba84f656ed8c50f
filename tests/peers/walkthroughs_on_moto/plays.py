"""Walkthrough A on the v1 API, walkthrough F, and F's variants. Each restores the cluster."""
# SPDX-License-Identifier: Apache-2.0
import os

import yaml
from cluster import check, is_marked, is_true, labels, name_of, revision

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples")
QUIET = "5s"  # consolidateAfter: a minute of the wall clock would show nothing more
FAMILIES_OF_A = ("c", "m", "r")


def example(folder, file):
    with open(os.path.join(EXAMPLES, folder, file), encoding="utf-8") as text:
        return yaml.safe_load(text)


def first_revisions(things):
    """Returns when each of them was observed first, in order."""
    first = {}
    for thing in things:
        first.setdefault(name_of(thing), revision(thing))
    return sorted(first.values())


class Play:
    def __init__(self, cluster, account):
        self.cluster, self.account = cluster, account
        self.images = account.make_images("first")

    def begin(self, folder, pool_file="nodepool.yaml", change=None):
        """Applies the example's NodePool, EC2NodeClass and Deployment without replicas."""
        node_class = example(folder, "nodeclass.yaml")
        # moto has no parameters of EKS images: an alias has no result there.
        node_class["spec"] |= {"amiFamily": "AL2023", "amiSelectorTerms": [{"tags": {"generation": "first"}}]}
        pool = example(folder, pool_file)
        pool["spec"]["disruption"]["consolidateAfter"] = QUIET
        if change:
            change(pool["spec"])
        self.cluster.apply(node_class, pool, example(folder, "inflate.yaml"))
        self.cluster.until("the NodePool is ready", lambda: is_true(self.cluster.live["pools"].get("default", {}), "Ready"))

    def end(self):
        """Deletes the NodePool with its instances, and the node class with its resources."""
        self.cluster.k("delete", "deployment", "inflate")
        self.cluster.k("delete", "nodepool", "default")
        self.cluster.until_nodes([], 0)
        self.cluster.k("delete", "ec2nodeclass", "default")
        self.account.is_left_clean()

    def buy(self, replicas, wanted):
        """Scales up to so many pods, which then run on these nodes. Returns the only instance, if it is one."""
        self.cluster.scale(replicas)
        self.cluster.until_nodes(wanted, replicas)
        return next(iter(self.account.runs_what(self.cluster).items()))

    def replaced(self, mark, act, wanted, pods):
        """Checks that `act` removes every earlier node, but only after its replacement was initialized."""
        cluster = self.cluster
        old = dict(cluster.live["nodes"])
        claims = set(cluster.live["claims"])
        act()
        cluster.until(f"the nodes from before are replaced by {', '.join(wanted)}",
                      lambda: not old.keys() & cluster.live["nodes"].keys() and cluster.nodes() == sorted(wanted)
                      and cluster.is_settled(pods))
        fresh = [claim for _, claim in cluster.since(mark, "claims") if name_of(claim) not in claims]
        asked, ready = revision(fresh[0]), first_revisions(claim for claim in fresh if is_true(claim, "Initialized"))
        left = first_revisions(node for change, node in cluster.since(mark, "nodes")
                               if name_of(node) in old and (change == "DELETED" or "deletionTimestamp" in node["metadata"]))
        check("each was drained only after a new node was initialized", [],
              [each for i, each in enumerate(left) if each < ready[min(i, len(ready) - 1)]])
        evicted = [revision(pod) for change, pod in cluster.since(mark, "pods")
                   if change == "DELETED" and pod["spec"].get("nodeName") in old and revision(pod) > asked]
        check("no pod was evicted before that", [], [each for each in evicted if each < ready[0]])
        cluster.until_event(mark, "Pod", "Evicted")
        ended = self.account.instances("terminated")
        check("their instances are terminated in moto", [], [n for n in old.values() if n["spec"]["providerID"] not in ended])
        self.account.runs_what(cluster)

    def look_at_node(self, provider_id, instance, capacity_type):
        """Compares the one NodeClaim, its Node and its instance."""
        cluster = self.cluster
        (claim,), (node,) = cluster.live["claims"].values(), cluster.live["nodes"].values()
        cluster.until("the NodeClaim says how far it is",
                      lambda: all(is_true(next(iter(cluster.live["claims"].values())), condition)
                                  for condition in ("Launched", "Registered", "Initialized", "Ready")))
        check("the NodeClaim names instance and Node", (provider_id, name_of(node)),
              (claim["status"]["providerID"], claim["status"]["nodeName"]))
        cluster.until("the instance was given its names", lambda: "karpenter.k8s.aws/tagged" in next(
            iter(cluster.live["claims"].values()))["metadata"]["annotations"])
        tags = {t["Key"]: t["Value"] for t in self.account.instances()[provider_id]["Tags"]}
        wanted = {"team": "demo", "Name": name_of(node), "karpenter.sh/nodepool": "default", "eks:eks-cluster-name": "demo",
                  "karpenter.sh/nodeclaim": name_of(claim), "karpenter.k8s.aws/ec2nodeclass": "default",
                  "kubernetes.io/cluster/demo": "owned"}
        check("tags of the instance", wanted, {key: tags.get(key) for key in wanted})
        wanted = {"karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": capacity_type,
                  "karpenter.sh/registered": "true", "karpenter.k8s.aws/ec2nodeclass": "default",
                  "node.kubernetes.io/instance-type": instance["InstanceType"],
                  "topology.kubernetes.io/zone": instance["Placement"]["AvailabilityZone"]}
        check("labels of the Node", wanted, {key: labels(node).get(key) for key in wanted})
        used = {"cpu": node["status"]["capacity"]["cpu"], "memory": node["status"]["capacity"]["memory"], "nodes": "1"}
        cluster.until(f"the NodePool uses {used}", lambda: used.items() <= cluster.live["pools"]["default"]["status"].get(
            "resources", {}).items())
        check("the instance is bought", capacity_type, instance.get("InstanceLifecycle", "on-demand"))
        fleet, template = self.account.template_of(instance)
        check("by a Fleet of type", "instant", fleet["Type"])
        check("with the profile of the class", True, bool(template["IamInstanceProfile"]["Name"]))
        check("of the image that the class selects", True, instance["ImageId"] in self.images.values())
        check("in a subnet of the cluster", True, instance["SubnetId"] in {
            s["id"] for s in cluster.live["classes"]["default"]["status"]["subnets"]})

    def spot_inflate(self):
        """A. Spot capacity in, empty nodes out."""
        cluster, mark = self.cluster, self.cluster.mark()
        self.begin("spot-inflate")
        cluster.scale(5)
        cluster.until("five pods run on one spot node",
                      lambda: len(cluster.live["nodes"]) == 1 and cluster.is_settled(5))
        pending = {name_of(pod) for _, pod in cluster.since(mark, "pods") if any(
            c.get("reason") == "Unschedulable" for c in pod["status"].get("conditions", []))}
        check("all five were pending first", 5, len(pending))
        (provider_id, instance), = self.account.runs_what(cluster).items()
        self.look_at_node(provider_id, instance, "spot")
        (node,) = cluster.live["nodes"].values()
        check("a type that the NodePool allows", True, labels(node)["karpenter.k8s.aws/instance-category"] in FAMILIES_OF_A
              and int(labels(node)["karpenter.k8s.aws/instance-generation"]) > 2
              and labels(node)["kubernetes.io/arch"] == "amd64")
        cluster.until_event(mark, "Pod", "Nominated", "Pod should schedule on: nodeclaim/")
        table = cluster.k("get", "nodes", "-L", "karpenter.sh/capacity-type").splitlines()
        check("kubectl shows the capacity type", ("CAPACITY-TYPE", "spot"), tuple(row.split()[-1] for row in table))
        # The policy of v0.27 without consolidation is WhenEmpty here.
        cluster.until_event(mark, "Node", "Unconsolidatable", "has consolidation policy WhenEmpty, but node is not empty")
        mark = cluster.mark()
        cluster.scale(0)
        cluster.until_nodes([], 0)
        check("the empty node was marked before it went", True, any(is_marked(n) for _, n in cluster.since(mark, "nodes")))
        check("its instance is terminated in moto", True, provider_id in self.account.instances("terminated"))
        self.end()

    def consolidate(self):
        """F, steps 1 to 5."""
        cluster, mark = self.cluster, self.cluster.mark()
        self.begin("consolidate")
        provider_id, instance = self.buy(5, ["m5.large:on-demand"])
        cluster.until_event(mark, "Pod", "Nominated", "Pod should schedule on: nodeclaim/")
        self.look_at_node(provider_id, instance, "on-demand")
        check("the template's label", "karpenter", labels(next(iter(cluster.live["nodes"].values())))["type"])
        self.buy(12, ["m5.large:on-demand"] * 2)
        check("one pod joined the first node, six fill the second", [6, 6], sorted(cluster.pods_by_node().values()))
        cluster.nothing_is_moved()
        mark = cluster.mark()
        cluster.scale(5)
        cluster.until_nodes(["m5.large:on-demand"], 5)
        cluster.until_event(mark, "NodeClaim", "DisruptionTerminating")
        self.account.runs_what(cluster)
        mark = cluster.mark()
        self.replaced(mark, lambda: cluster.scale(1), ["c5.large:on-demand"], 1)
        cluster.until_event(mark, "NodeClaim", "DisruptionWaitingReadiness")
        self.end()

    def budget(self):
        """F-budget: two nodes at a time may go, so two become one."""
        self.begin("consolidate", change=lambda spec: spec["disruption"].update(budgets=[{"nodes": "2"}]))
        self.buy(5, ["m5.large:on-demand"])
        self.buy(12, ["m5.large:on-demand"] * 2)
        self.replaced(self.cluster.mark(), lambda: None, ["r5.large:on-demand"], 12)
        self.end()

    def any_type(self):
        """F-any-type: whatever is cheapest, at $0.0504 and $0.034, where F pays $0.096 and $0.085.

        moto has nearly all of AWS's types, the demo's catalog only some: there it is m6g.large and c6g.large.
        """
        self.begin("consolidate", os.path.join("later", "nodepool-any-type.yaml"))
        self.buy(5, ["r6g.medium:on-demand"])
        self.buy(12, ["r6g.medium:on-demand"] * 2)
        self.cluster.scale(5)
        self.cluster.until_nodes(["r6g.medium:on-demand"], 5)
        self.replaced(self.cluster.mark(), lambda: self.cluster.scale(1), ["c6g.medium:on-demand"], 1)
        self.end()

    def drift(self):
        """F-drift: a larger root volume, and then other images; the default budget lets one of two nodes go at a time."""
        self.begin("consolidate")
        self.buy(5, ["m5.large:on-demand"])
        self.buy(12, ["m5.large:on-demand"] * 2)
        disk = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "40Gi", "volumeType": "gp3"}}
        self.drifts("NodeClassDrift", {"blockDeviceMappings": [disk]})
        templates = [self.account.template_of(instance)[1] for instance in self.account.instances("running").values()]
        check("root volumes of 40 GiB are asked for", [40, 40],
              [template["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] for template in templates])
        second = self.account.make_images("second")
        self.drifts("AMIDrift", {"amiSelectorTerms": [{"tags": {"generation": "second"}}]})
        check("they run the other image", {second["x86_64"]},
              {instance["ImageId"] for instance in self.account.instances("running").values()})
        self.end()

    def drifts(self, reason, spec):
        mark = self.cluster.mark()
        self.replaced(mark, lambda: self.cluster.patch("ec2nodeclass", spec), ["m5.large:on-demand"] * 2, 12)
        check("one node was disrupted at a time", 1, self.cluster.most_disrupted(mark))
        told = {c["reason"] for _, claim in self.cluster.since(mark, "claims")
                for c in claim.get("status", {}).get("conditions", []) if c["type"] == "Drifted" and c["status"] == "True"}
        check("NodeClaims drifted because of", {reason}, told & {reason})

    def expiry(self):
        """F-expiry: moto's clock cannot be moved by 720 hours, so nodes live for half a minute."""
        self.begin("consolidate", change=lambda spec: spec["template"]["spec"].update(expireAfter="30s"))
        self.buy(5, ["m5.large:on-demand"])
        cluster, mark = self.cluster, self.cluster.mark()
        (old,) = cluster.live["nodes"]
        cluster.until("the node has expired, and its pods have another one",
                      lambda: old not in cluster.live["nodes"] and cluster.nodes() == ["m5.large:on-demand"]
                      and cluster.is_settled(5))
        cluster.until_event(mark, "Pod", "Evicted")
        self.end()

    def empty_only(self):
        """F-empty-only: the policy WhenEmpty moves nothing that has pods."""
        self.begin("consolidate", change=lambda spec: spec["disruption"].update(consolidationPolicy="WhenEmpty"))
        self.buy(5, ["m5.large:on-demand"])
        self.cluster.scale(1)
        self.cluster.until_nodes(["m5.large:on-demand"], 1)
        self.cluster.nothing_is_moved()
        self.cluster.scale(0)
        self.cluster.until_nodes([], 0)
        self.end()
