"""A cluster as a user of kubectl observes it: its present objects and their history."""
# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import threading
import urllib.request

import yaml

LIMIT = 90  # seconds that anything may take
KARPENTER = "/apis/karpenter.sh/v1"
WATCHED = {"pods": "/api/v1/namespaces/default/pods", "nodes": "/api/v1/nodes", "events": "/api/v1/events",
           "claims": f"{KARPENTER}/nodeclaims", "pools": f"{KARPENTER}/nodepools",
           "classes": "/apis/karpenter.k8s.aws/v1/ec2nodeclasses"}
PASSES = 'karpenter_scheduler_scheduling_duration_seconds_count{controller="disruption"}'
DECISIONS = "karpenter_voluntary_disruption_decisions_total"


class Wrong(Exception):
    """The observed state differs from the expected one."""


def check(what, expected, seen):
    if expected != seen:
        raise Wrong(f"{what}: expected {expected}, seen {seen}")
    print("ok  ", what if expected is True or not expected else f"{what}: {seen}", flush=True)


def labels(thing):
    return thing["metadata"].get("labels", {})


def name_of(thing):
    return thing["metadata"]["name"]


def is_true(thing, condition):
    return any(c["type"] == condition and c["status"] == "True" for c in thing.get("status", {}).get("conditions", []))


def is_marked(node):
    return any(taint["key"] == "karpenter.sh/disrupted" for taint in node["spec"].get("taints", []))


def revision(thing):
    return int(thing["metadata"]["resourceVersion"])


class Cluster:
    def __init__(self, kubectl, kubeconfig, metrics_port):
        self.command = [kubectl, "--kubeconfig", kubeconfig]
        self.metrics_url = f"http://127.0.0.1:{metrics_port}/metrics"
        self.live = {kind: {} for kind in WATCHED}
        self.history = []  # (kind, type, object)
        self.news = threading.Condition()
        for kind, path in WATCHED.items():
            threading.Thread(target=self.follow, args=(kind, path), daemon=True).start()

    def follow(self, kind, path):
        with subprocess.Popen([*self.command, "get", "--raw", path + "?watch=true"], stdout=subprocess.PIPE,
                              text=True) as watch:
            for line in watch.stdout:
                event = json.loads(line)
                thing = event["object"]
                with self.news:
                    self.history.append((kind, event["type"], thing))
                    if event["type"] == "DELETED":
                        self.live[kind].pop(name_of(thing), None)
                    else:
                        self.live[kind][name_of(thing)] = thing
                    self.news.notify_all()

    # Actions of a user.
    def k(self, *args, stdin=None):
        done = subprocess.run([*self.command, *args], input=stdin, capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode != 0:
            raise Wrong(f"kubectl {' '.join(args)}: {done.stderr.strip()}")
        return done.stdout

    def apply(self, *manifests):
        self.k("apply", "-f", "-", stdin=yaml.safe_dump_all(manifests))

    def patch(self, kind, spec):
        self.k("patch", kind, "default", "--type=merge", "-p", json.dumps({"spec": spec}))

    def scale(self, replicas):
        self.k("scale", "deployment", "inflate", f"--replicas={replicas}")

    # Observations of a user.
    def until(self, what, condition, limit=LIMIT):
        with self.news:
            if not self.news.wait_for(condition, timeout=limit):
                raise Wrong(f"{what}: not within {limit} s; there are nodes {self.nodes()}, pods {self.pods_by_node()}")
        print("ok  ", what, flush=True)

    def nodes(self):
        """Returns the type and capacity type of each node."""
        return sorted(labels(node).get("node.kubernetes.io/instance-type", "") + ":" +
                      labels(node).get("karpenter.sh/capacity-type", "") for node in self.live["nodes"].values())

    def pods_by_node(self):
        """Returns the number of pods on each node; pending ones are under ''."""
        counts = {}
        for pod in self.live["pods"].values():
            where = pod["spec"].get("nodeName", "") if pod["status"].get("phase") == "Running" else ""
            counts[where] = counts.get(where, 0) + 1
        return counts

    def in_use(self, node):
        taints = node["spec"].get("taints", [])
        return (labels(node).get("karpenter.sh/initialized") == "true" and is_true(node, "Ready") and not taints
                and "deletionTimestamp" not in node["metadata"])

    def is_settled(self, pods):
        """Returns true if so many pods run, every node has pods, and each node has one NodeClaim."""
        counts = self.pods_by_node()
        nodes = self.live["nodes"]
        return (sum(counts.values()) == pods and "" not in counts and all(self.in_use(node) for node in nodes.values())
                and {c.get("status", {}).get("nodeName") for c in self.live["claims"].values()} == set(nodes)
                and len(self.live["claims"]) == len(nodes)
                and all(is_true(claim, "Initialized") for claim in self.live["claims"].values()))

    def until_nodes(self, wanted, pods):
        """Waits for these nodes ("m5.large:on-demand") with so many pods in all."""
        self.until(f"{pods} pods on {', '.join(wanted) or 'no node'}",
                   lambda: self.nodes() == sorted(wanted) and self.is_settled(pods))

    def mark(self):
        """Returns the present index in the history, for `since`."""
        with self.news:
            return len(self.history)

    def since(self, mark, kind):
        with self.news:
            return [(change, thing) for of, change, thing in self.history[mark:] if of == kind]

    def most_disrupted(self, mark):
        """Returns how many nodes were marked as disrupted, or being deleted, at the same time.

        As for budgets, one no longer counts when it is drained and its instance is asked to end.
        """
        going, ended, most = set(), set(), 0
        for change, thing in sorted(self.since(mark, "nodes") + self.since(mark, "claims"), key=lambda e: revision(e[1])):
            if thing["kind"] == "NodeClaim":
                ended |= {thing["status"]["nodeName"]} if is_true(thing, "InstanceTerminating") else set()
            elif change == "DELETED":
                going.discard(name_of(thing))
            elif is_marked(thing) or "deletionTimestamp" in thing["metadata"]:
                going.add(name_of(thing))
            most = max(most, len(going - ended))
        return most

    def until_event(self, mark, kind, reason, text=""):
        def told():
            return any(of == "events" and thing["reason"] == reason and thing["involvedObject"]["kind"] == kind
                       and text in thing["message"] for of, _, thing in self.history[mark:])
        self.until(f"event {reason} of a {kind}{': ' + text if text else ''}", told)

    def metric(self, name):
        """Returns the sum over its labels."""
        with urllib.request.urlopen(self.metrics_url, timeout=LIMIT) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((name + "{", name + " ")))

    def nothing_is_moved(self, passes=3):
        """Checks that so many passes, over a longer time than the validation of a move takes, decide nothing.

        A pass runs every ten seconds if something has changed: therefore a label changes.
        """
        self.until("the nodes may be consolidated",
                   lambda: all(is_true(claim, "Consolidatable") for claim in self.live["claims"].values()))
        decided, before = self.metric(DECISIONS), set(self.live["nodes"])
        for number in range(passes):
            looked = self.metric(PASSES)
            self.k("label", "nodes", "--all", f"look={number}", "--overwrite")
            self.until_metric(PASSES, looked + 1)
        check("no disruption is decided", decided, self.metric(DECISIONS))
        check("the nodes are the same", before, set(self.live["nodes"]))

    def until_metric(self, name, least, limit=LIMIT):
        """Each check takes as long as a request, with a second and a half at most in between."""
        for _ in range(limit):
            if self.metric(name) >= least:
                return
            with self.news:
                self.news.wait(timeout=1)
        raise Wrong(f"{name}: expected {least}, seen {self.metric(name)}")
