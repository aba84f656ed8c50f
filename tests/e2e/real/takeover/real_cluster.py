"""The real cluster as an observer of its history: what was launched, replaced or removed since a moment."""
# SPDX-License-Identifier: Apache-2.0
import time

from cluster import LIMIT, PASSES, WATCHED, Cluster, Wrong, check, is_marked, is_true, name_of
from controllers import START_LIMIT

WATCHED["leases"] = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
LOOK_SECONDS = 15  # so often a label of the nodes changes, because an unchanged cluster is not considered again
LEAST_PASSES = 3
LOOK = "look"  # that label


def is_leaving(thing):
    return "deletionTimestamp" in thing["metadata"]


class RealCluster(Cluster):
    def __init__(self, kubectl, kubeconfig):
        super().__init__(kubectl, kubeconfig, 0)

    def wait(self, seconds):
        """Waits for a change of the cluster, at most for so long."""
        with self.news:
            self.news.wait(timeout=seconds)

    def leader(self, lease):
        """Returns who holds the lease; empty if nobody does."""
        return self.live["leases"].get(lease, {}).get("spec", {}).get("holderIdentity") or ""

    def disturbances(self, mark):
        """Returns each sign since the mark that a node is launched, replaced, removed or found to drift."""
        found = []
        for kind, change, thing in self.history[mark:]:
            what = f"{kind}/{name_of(thing)}"
            if kind in ("claims", "nodes", "pods") and (change != "MODIFIED" or is_leaving(thing)):
                found.append(f"{what} {'is being deleted' if is_leaving(thing) else change}")
            elif kind == "claims" and (is_true(thing, "Drifted") or is_true(thing, "DisruptionReason")):
                found.append(f"{what} has conditions {thing['status']['conditions']}")
            elif kind == "nodes" and is_marked(thing):
                found.append(f"{what} is marked as disrupted")
        return found

    def drifted(self, mark):
        return [f"claims/{name_of(claim)}" for _, claim in self.since(mark, "claims") if is_true(claim, "Drifted")]

    def nothing_drifts(self, who, seconds):
        """Checks for so long that no claim gets the condition Drifted, whatever else is decided."""
        mark, passes = self.mark(), self.metric(PASSES)
        with self.news:
            self.news.wait_for(lambda: self.drifted(mark), timeout=seconds)
        self.until_metric(PASSES, passes + 1, START_LIMIT)
        check(f"{who} finds no drift for {seconds} s", [], self.drifted(mark))

    def look_again(self, number):
        self.k("label", "nodes", "--all", f"{LOOK}={number}", "--overwrite")

    def until_first_pass(self):
        """Waits until the controller that was started last has considered the cluster: it reads the instance types before."""
        self.look_again(0)
        self.until_metric(PASSES, 1, START_LIMIT)

    def are_consolidatable(self, who):
        self.until(f"{who} finds the nodes consolidatable",
                   lambda: all(is_true(claim, "Consolidatable") for claim in self.live["claims"].values()))

    def calms(self, who, seconds, limit=600):
        """Waits until the controller has left the cluster alone for so long: it has no improvement left."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            self.are_consolidatable(who)
            mark = self.mark()
            self.look_again(mark)
            with self.news:
                if not self.news.wait_for(lambda: self.disturbances(mark), timeout=seconds):
                    print(f"ok   {who} has settled: {', '.join(self.nodes())}", flush=True)
                    return
        raise Wrong(f"{who} changes the cluster for {limit} s")

    def nothing_is_replaced(self, who, seconds):
        """Checks for so long that the controller considers the cluster, and leaves every node and pod in place."""
        self.are_consolidatable(who)
        mark, nodes, passes = self.mark(), set(self.live["nodes"]), self.metric(PASSES)
        self.until_first_pass()
        end, number = time.monotonic() + seconds, 0
        # A short time may be over before the controller has looked often enough.
        while (left := end - time.monotonic()) > 0 or (left > -LIMIT and self.metric(PASSES) < passes + LEAST_PASSES):
            number += 1
            self.look_again(number)
            with self.news:
                self.news.wait_for(lambda: self.disturbances(mark),
                                   timeout=min(left, LOOK_SECONDS) if left > 0 else LOOK_SECONDS)
                if found := self.disturbances(mark):
                    raise Wrong(f"{who} disturbs the cluster: {'; '.join(found[:5])}")
        self.until_metric(PASSES, passes + LEAST_PASSES)
        check(f"{who} leaves the nodes in place for {seconds} s, in {int(self.metric(PASSES) - passes)} passes",
              [], self.disturbances(mark))
        check("the nodes are the same", nodes, set(self.live["nodes"]))

    def instances_of_nodes(self, account):
        """Returns the instance of each node, by the node's name."""
        running = account.runs_what(self)
        return {name: running[node["spec"]["providerID"]]["InstanceId"] for name, node in self.live["nodes"].items()}

    def every_node_has_pods(self):
        return set(self.pods_by_node()) == set(self.live["nodes"]) and "" not in self.pods_by_node()

    def settles(self, pods):
        """Waits until so many pods run, and each node has a claim and pods."""
        self.until(f"{pods} pods run, and each node has some",
                   lambda: self.is_settled(pods) and self.every_node_has_pods(), limit=300)
