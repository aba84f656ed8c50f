"""measure.py TENON RECORDED [--pending]: `tenon controller` as a process of its own against a recorded cluster.

The API server (list_server.py) and the AWS (tenon fake-aws) are processes of their own, so that memory and processor time
are the controller's alone. Prints one line of JSON:

  ready_seconds, ready_cpu_seconds   from the start of the process until /readyz says ok
  resident_mib, peak_mib             VmRSS and VmHWM at the end of what follows
  Without --pending: one pod that fits on no node is added, and six more one after another.
    decided_ms, decided_cpu_ms       the median time from the pod to the creation of its NodeClaim, without the second for
                                     which a batch waits for further pods, and the processor time in it
    idle_cpu_ms_per_second           over half a minute in which nothing changes
  With --pending: every pod of the list waits for a node.
    placed_seconds                   until no pod is left without a NodeClaim or a reason
    pods, placed, with_reason        their numbers; claims: NodeClaims
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

BATCH_IDLE_SECONDS = 1.0
ADDED_PODS = 7  # the first one is not counted: it pays for what later decisions keep
WAIT_SECONDS = 300
IDLE_SECONDS = 30
QUIET_SECONDS = 5  # without a change of a NodeClaim or a reason: the controllers have done what the list leads to
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def fetch(url, data=None):
    with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=60) as answer:
        return answer.read()


class World:
    """The three processes. Ends them."""

    def __init__(self, tenon, listed):
        self.work = tempfile.TemporaryDirectory()
        self.processes = []
        aws = self.start([tenon, "fake-aws"], stdout=subprocess.PIPE)
        self.environment = dict(os.environ)
        while not self.environment.get("AWS_REGION"):
            name, _, value = aws.stdout.readline().decode().removeprefix("export ").strip().partition("=")
            self.environment[name] = value
        server = self.start([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "list_server.py"), listed],
                            stdout=subprocess.PIPE, env=self.environment)
        self.api = f"http://127.0.0.1:{int(server.stdout.readline())}"
        config = os.path.join(self.work.name, "kubeconfig")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
                       "clusters": [{"name": "c", "cluster": {"server": self.api}}], "users": [{"name": "c", "user": {}}]}, file)
        self.metrics, self.probes = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self.log = os.path.join(self.work.name, "log")
        self.begun = time.time()
        with open(self.log, "wb") as log:
            self.controller = self.start(
                [*os.environ.get("UNDER", "").split(), tenon, "controller", "--kubeconfig", config, "--cluster-name", "demo",
                 "--webhook-port", "0", "--metrics-port", self.metrics.rpartition(":")[2], "--health-probe-port",
                 self.probes.rpartition(":")[2]], stdout=log, stderr=log, env=self.environment)

    def start(self, command, **more):
        self.processes.append(subprocess.Popen(command, **more))
        return self.processes[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        if os.environ.get("KEEP_LOG"):
            os.replace(self.log, os.environ["KEEP_LOG"])
        self.work.cleanup()

    def cpu(self):
        """Returns the processor seconds of the controller."""
        with open(f"/proc/{self.controller.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def mib(self, name):
        with open(f"/proc/{self.controller.pid}/status", encoding="utf-8") as file:
            return round(int(re.search(name + r":\s+(\d+) kB", file.read())[1]) / 1024, 1)

    def check(self):
        if self.controller.poll() is not None:
            with open(self.log, encoding="utf-8") as file:
                sys.exit(f"measure: the controller has ended with {self.controller.returncode}:\n{file.read()[-3000:]}")

    def await_(self, what, done, seconds=WAIT_SECONDS):
        ends = time.time() + seconds
        while not done():
            self.check()
            if time.time() > ends:
                sys.exit(f"measure: {what}: not within {seconds} s")
            time.sleep(0.02)

    def ready(self):
        try:
            return fetch(self.probes + "/readyz") == b"ok"
        except (urllib.error.URLError, ConnectionError):
            return False

    def get(self, path):
        return json.loads(fetch(self.api + path))


def add_pod(world, number):
    """Returns the milliseconds until its NodeClaim, and the processor milliseconds in them."""
    pod = recorded.pending(10**7 + number * recorded.UNPLACEABLE_EVERY + 1)
    pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "60", "memory": "1Gi"}}
    before, cpu, begun = set(world.get("/bench/created")), world.cpu(), time.time()
    fetch(world.api + "/bench/add", json.dumps(pod).encode())
    name = pod["metadata"]["namespace"] + "/" + pod["metadata"]["name"]
    world.await_("a NodeClaim for " + name, lambda: set(world.get("/bench/created")) - before)
    cpu = world.cpu() - cpu
    (claim,) = (made for one, made in world.get("/bench/created").items() if one not in before)
    return 1000 * (claim[0] - begun - BATCH_IDLE_SECONDS), 1000 * cpu


def running(world, out):
    await_quiet(world, lambda: world.get("/bench/writes").get("nodeclaims", 0))
    cpu = world.cpu()
    time.sleep(IDLE_SECONDS)
    out["idle_cpu_ms_per_second"] = round(1000 * (world.cpu() - cpu) / IDLE_SECONDS, 1)
    times = [add_pod(world, number) for number in range(ADDED_PODS)][1:]
    out["decided_ms"] = round(statistics.median(wall for wall, _ in times))
    out["decided_ms_all"] = [round(wall) for wall, _ in times]
    out["decided_cpu_ms"] = round(statistics.median(cpu for _, cpu in times))


def await_quiet(world, figure):
    """Waits until `figure` has been the same for a while."""
    seen, since = None, time.time()

    def quiet():
        nonlocal seen, since
        now = figure()
        if now != seen:
            seen, since = now, time.time()
        return time.time() - since > QUIET_SECONDS

    world.await_("no further changes", quiet)


def waiting(world, out, pods):
    world.await_("a NodeClaim", lambda: world.get("/bench/writes").get("nodeclaims", 0))
    await_quiet(world, lambda: (world.get("/bench/writes")["nodeclaims"], pods_without_place(world)))
    created = world.get("/bench/created").values()
    placed = {pod for _, names in created for pod in names}
    out.update(placed_seconds=round(max(made for made, _ in created) - world.begun, 1), pods=pods, placed=len(placed),
               with_reason=pods_without_place(world), claims=len(created))


def pods_without_place(world):
    """Returns the number of pods that the last decision gave a reason instead of a place."""
    text = fetch(world.metrics + "/metrics").decode()
    found = re.search(r'^karpenter_scheduler_unschedulable_pods_count\{controller="provisioner"\} (\d+)', text, re.M)
    return int(found[1]) if found else 0


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    tenon, listed = sys.argv[1:3]
    with open(listed, "rb") as file:
        kinds = [line[:60] for line in file]
    pods = sum(b'"kind":"Pod"' in line for line in kinds)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("measure: terminated"))
    out = {"nodes": sum(b'"kind":"Node"' in line for line in kinds), "pods": pods}
    with World(tenon, listed) as world:
        world.await_("/readyz", world.ready)
        out["ready_seconds"], out["ready_cpu_seconds"] = round(time.time() - world.begun, 1), round(world.cpu(), 1)
        if "--pending" in sys.argv:
            waiting(world, out, pods)
        else:
            running(world, out)
        out.update(cpu_seconds=round(world.cpu(), 1), resident_mib=world.mib("VmRSS"), peak_mib=world.mib("VmHWM"))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
