"""The plays: a controller starts, a Deployment changes its size, the controller ends, and the cluster is empty again."""
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import os
import subprocess
import threading
import time
import urllib.request

import yaml
from aws import Moto, Nothing
from cluster import WATCHED, Wrong, is_true, labels, name_of
from controllers import ACCOUNT, ADMIN, KARPENTER, START_LIMIT, TENON, Controller
from process import Meter, mappings
from real_cluster import RealCluster

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
PATIENCE = 1800  # seconds for one step
QUIET = 45  # seconds without a change of the nodes after which a step down has ended
PAUSE = 1  # seconds before a watch that has failed is tried again
REST = 30  # seconds after a step up: consolidation looks at the nodes
IDLE_CPU = 0.3  # seconds of processor time in IDLE_SECONDS: less means that the start has ended
IDLE_SECONDS, IDLE_LIMIT = 5, 120
SMALL = (5, 12, 5, 1)

WATCHED.pop("events")
WATCHED.pop("classes")


class MeasuredCluster(RealCluster):
    """Keeps no history, and of pods only whether they run: reading takes little of the processor."""

    def __init__(self, kubectl, kubeconfig):
        self.running, self.changed, self.over = 0, time.monotonic(), threading.Event()
        super().__init__(kubectl, kubeconfig)

    def follow(self, kind, path):
        """The API server ends the watch of a slow reader: the next one continues where it has ended, or lists again."""
        version = ""
        while not self.over.wait(0 if version else PAUSE):
            try:
                version = self.watch(kind, path, version or self.list(kind, path))
            except (Wrong, ValueError):  # the API server is not there, or a line has no end
                version = ""

    def list(self, kind, path):
        listed = json.loads(self.k("get", "--raw", path))
        there = {name_of(thing): thing for thing in listed["items"]}
        with self.news:
            for name, thing in there.items():
                self.see(kind, "MODIFIED", thing)
            for name in set(self.live[kind]) - set(there):
                self.see(kind, "DELETED", {"metadata": {"name": name}})
            self.news.notify_all()
        return listed["metadata"]["resourceVersion"]

    def watch(self, kind, path, version):
        """Returns the version to continue at; empty if the API server has it no longer."""
        with subprocess.Popen([*self.command, "get", "--raw", f"{path}?watch=true&resourceVersion={version}"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as watch:
            for line in watch.stdout:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    watch.kill()
                    return ""
                version = event["object"]["metadata"]["resourceVersion"]
                with self.news:
                    self.see(kind, event["type"], event["object"])
                    self.news.notify_all()
        return version

    def see(self, kind, change, thing):
        live, name, gone = self.live[kind], name_of(thing), change == "DELETED"
        if kind == "pods":
            runs = not gone and thing["status"].get("phase") == "Running"
            self.running += runs - live.get(name, False)
            thing = runs
        elif kind in ("nodes", "claims") and (gone or name not in live or
                                              ("deletionTimestamp" in thing["metadata"]) !=
                                              ("deletionTimestamp" in live[name]["metadata"])):
            self.changed = time.monotonic()
        if gone:
            live.pop(name, None)
        else:
            live[name] = thing

    def wait_seconds(self, seconds):
        """Waits for so long, whatever changes."""
        with self.news:
            self.news.wait_for(lambda: False, timeout=seconds)

    def pods_by_node(self):
        return {"running": self.running, "all": len(self.live["pods"])}

    def run(self, pods):
        return self.running == pods == len(self.live["pods"])

    def types(self):
        return dict(collections.Counter(labels(node).get("node.kubernetes.io/instance-type", "")
                                        for node in self.live["nodes"].values()))

    def cpus(self):
        return sum(int(node["status"].get("capacity", {}).get("cpu", 0)) for node in self.live["nodes"].values())

    def is_empty(self):
        return not any(self.live[kind] for kind in ("pods", "nodes", "claims", "pools"))


class Alone(Controller):
    """A controller without leader election: on a busy machine, Karpenter panics when its lease is renewed too late."""

    def start(self):
        self.launch()
        for _ in range(START_LIMIT):
            if self.is_ready():
                return
            self.check()
            self.cluster.wait_seconds(1)
        raise Wrong(f"{self.name} is not ready after {START_LIMIT} s")

    def is_ready(self):
        try:
            with urllib.request.urlopen(self.ready_url, timeout=10) as answer:
                return answer.status == 200
        except OSError:
            return False

    def check(self):
        if self.process.poll() is not None:
            raise Wrong(f"{self.name} has ended: {self.last_lines()}")


class Bench:
    def __init__(self, options):
        self.options = options
        kubeconfig = os.path.join(options.cluster, "kubeconfig")
        self.cluster = MeasuredCluster(os.path.join(options.programs, "bin", "kubectl"), kubeconfig)
        with open(os.path.join(HERE, "objects.yaml"), encoding="utf-8") as file:
            self.objects = yaml.safe_load(file)
        self.clouds = {"moto": Moto(self.cluster, options.programs, kubeconfig), "kwok": Nothing()}
        self.controller = self.meter = None
        self.facts = {}

    def prepare(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
        tenon = subprocess.run([self.options.tenon, "version"], capture_output=True, text=True, check=True).stdout.strip()
        self.log({"kind": "run", "tenon": tenon, "peers": self.options.versions, "processor": model, "cpus": os.cpu_count(),
                  "kernel": os.uname().release})
        self.cluster.apply(ACCOUNT, ADMIN, *self.objects["workload"])
        for name in ("rbac.yaml", "rbac-kwok.yaml"):
            self.cluster.k("apply", "-f", os.path.join(ROOT, "deploy", name))

    def make_controller(self, cloud, name):
        if name == KARPENTER:
            program = {"moto": "karpenter", "kwok": "karpenter-kwok"}[cloud]
            command = [os.path.join(self.options.programs, "bin", program)]
        else:
            # The cluster has no Service through which the API server could call webhooks.
            command = [self.options.tenon, "controller", "--webhook-port", "0", "--node-price", "0"]
            command += ["--cloud", "kwok"] if cloud == "kwok" else []
        logs = os.path.join(self.options.programs, "log")
        return Alone(self.cluster, self.options.cluster, logs, name, command, DISABLE_LEADER_ELECTION="true")

    def play(self, cloud, name, play):
        """Plays one play ("small", "200", "1000-pending") with a new process of this controller."""
        print(f"--- {cloud} {play} {name}", flush=True)
        self.facts = {"cloud": cloud, "controller": name, "play": play}
        self.clouds[cloud].start()
        self.cluster.apply(*self.objects[cloud])
        self.controller = self.make_controller(cloud, name)
        self.controller.log = os.path.join(self.options.programs, "log", f"side-by-side-{cloud}-{play}-{name}.log")
        try:
            self.measure(play)
        except Wrong as wrong:
            print("FAIL", str(wrong)[:1000], flush=True)
            self.log({**self.facts, "kind": "failed", "why": str(wrong)[:200]})
            self.clear()
        self.end()
        self.clouds[cloud].end_play()

    def measure(self, play):
        if play.endswith("-pending"):
            self.pending(int(play.removesuffix("-pending")))
        else:
            self.start()
            for pods in SMALL if play == "small" else (int(play),):
                self.step(pods)
        if play != "small":
            self.cluster.wait_seconds(REST)
            self.facts["rest"] = {"cpu_s": round(self.meter.cpu(), 3), "peak_mib": round(self.meter.peak(), 1)}
        self.empty()
        self.record(None, kind="end", at_peak=self.meter.at_most)

    def until(self, what, condition):
        """Waits for the condition, or for the end of the controller's process."""
        self.cluster.until(what, lambda: condition() or self.controller.process.poll() is not None, limit=PATIENCE)
        self.controller.check()

    def clear(self):
        """Removes everything after a failure: the controller, then its objects and their finalizers."""
        self.controller.kill()
        self.cluster.scale(0)
        for kind in ("nodepools", "nodeclaims", "nodes", self.objects[self.facts["cloud"]][0]["kind"].lower()):
            for name in self.cluster.k("get", kind, "-o", "name").split():
                self.cluster.k("delete", name, "--wait=false")
                self.unfinish(name)
        self.cluster.until("the cluster is empty", self.cluster.is_empty, limit=PATIENCE)

    def unfinish(self, name):
        try:
            self.cluster.k("patch", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        except Wrong as wrong:
            if "NotFound" not in str(wrong):
                raise

    def start(self, pods=0):
        began = time.monotonic()
        self.controller.start()
        self.meter = Meter(self.controller.process.pid)
        if pods:
            return began
        self.until("the NodePool is ready", lambda: is_true(self.cluster.live["pools"].get("default", {}), "Ready"))
        before, limit = self.meter.cpu(), time.monotonic() + IDLE_LIMIT
        while time.monotonic() < limit:
            self.cluster.wait_seconds(IDLE_SECONDS)
            now = self.meter.cpu()
            if now - before < IDLE_CPU:
                break
            before = now
        self.record(None, kind="start", seconds=round(time.monotonic() - began, 1))
        return began

    def pending(self, pods):
        """All pods exist before the controller starts: its start counts."""
        self.cluster.scale(pods)
        self.cluster.until(f"{pods} pods exist", lambda: len(self.cluster.live["pods"]) == pods, limit=PATIENCE)
        self.cluster.wait_seconds(QUIET)  # kube-scheduler has found each of them unschedulable
        began = self.start(pods)
        self.finish(began, 0, 0, pods)

    def step(self, pods):
        began, cpu, before = time.monotonic(), self.meter.cpu(), len(self.cluster.live["pods"])
        self.cluster.changed = began
        self.cluster.scale(pods)
        self.finish(began, cpu, before, pods)

    def finish(self, began, cpu, before, pods):
        self.until(f"{pods} pods run", lambda: self.cluster.run(pods))
        ran = time.monotonic()
        used = self.meter.cpu() - cpu
        if pods < before or self.facts["play"] == "small":
            while (left := self.cluster.changed + QUIET - time.monotonic()) > 0:
                self.cluster.wait_seconds(left)
        self.record(pods, kind="step", **{"from": before}, seconds=round(ran - began, 2),
                    seconds_of_nodes=round(self.cluster.changed - began, 2), cpu_s=round(used, 4),
                    cpu_s_with_consolidation=round(self.meter.cpu() - cpu, 4))

    def record(self, pods, **facts):
        try:
            memory = mappings(self.meter.pid)
        except OSError:
            memory = {}
        line = {**self.facts, "pods": pods, **facts, "cpu_s_of_process": round(self.meter.cpu(), 4),
                "peak_mib": round(self.meter.peak(), 1), "memory_mib": memory, "nodes": len(self.cluster.live["nodes"]),
                "cpus": self.cluster.cpus(), "types": self.cluster.types(),
                "load": round(os.getloadavg()[0], 1), "time": time.strftime("%H:%M:%S", time.gmtime())}
        self.log(line)
        print("    ", {key: part for key, part in line.items() if key not in ("types", "memory_mib")}, flush=True)

    def log(self, line):
        with open(self.options.out, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def empty(self):
        """Removes the pods and the NodePool, and with the NodePool its nodes, while the controller still runs."""
        self.cluster.scale(0)
        self.cluster.k("delete", "nodepool", "default", "--wait=false")
        self.until("the cluster is empty", self.cluster.is_empty)
        kind = self.objects[self.facts["cloud"]][0]["kind"]
        self.cluster.k("delete", kind.lower(), "default", "--timeout=80s")

    def end(self):
        if self.meter:
            self.meter.stop()
        try:
            self.controller.stop()
        except Wrong as wrong:  # the code of Karpenter's end depends on the moment
            print("    ", str(wrong)[:200], flush=True)
            self.controller.kill()

    def abort(self):
        if self.controller:
            self.controller.kill()
        for cloud in self.clouds.values():
            cloud.stop()


ORDERS = {"2": (TENON, KARPENTER), "4": (TENON, KARPENTER, KARPENTER, TENON)}
