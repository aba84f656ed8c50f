"""Karpenter and Tenon as processes. Both get one environment: the settings that Karpenter's Deployment has."""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import signal
import socket
import subprocess

from cluster import LIMIT, Wrong

START_LIMIT = 300  # seconds until a controller leads, and until its first decisions: it reads all instance types before
KARPENTER, TENON = "karpenter", "tenon"  # the service accounts, and the access keys
NAMESPACE, QUEUE, LEASE = "kube-system", "demo", "karpenter-leader-election"
ADMIN = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": KARPENTER},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
         "subjects": [{"kind": "ServiceAccount", "namespace": NAMESPACE, "name": KARPENTER}]}
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": NAMESPACE, "name": KARPENTER}}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def access_key(name):
    """The access key that this controller signs with: moto's record tells by it who called."""
    return "AKID" + name.upper()


class Controller:
    """One of the two controllers, which runs or does not."""

    def __init__(self, cluster, folder, logs, name, command, **environment):
        self.cluster, self.name, self.command, self.environment = cluster, name, command, environment
        self.log = os.path.join(logs, f"takeover-{name}.log")
        self.kubeconfig = os.path.join(folder, f"kubeconfig-{name}")
        self.process, self.ready_url = None, ""
        with open(self.log, "wb"):
            pass

    def identify(self):
        """Writes a kubeconfig for the controller's service account, which exists."""
        token = self.cluster.k("create", "token", self.name, "--namespace", NAMESPACE, "--duration=24h").strip()
        config = json.loads(self.cluster.k("config", "view", "--raw", "--minify", "-o", "json"))
        config["users"][0]["user"] = {"token": token}
        with open(self.kubeconfig, "w", encoding="utf-8") as file:
            json.dump(config, file)
        return config["clusters"][0]["cluster"]

    def start(self, *more, lease=LEASE):
        before = self.cluster.leader(lease)
        self.launch(*more)
        self.cluster.until(f"{self.name} leads", lambda: self.cluster.leader(lease) not in ("", before),
                           limit=START_LIMIT)

    def launch(self, *more):
        server, metrics, health = self.identify(), free_port(), free_port()
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "AWS_ENDPOINT_URL", "AWS_REGION")}
        environment |= {
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ACCESS_KEY_ID": access_key(self.name), "AWS_SECRET_ACCESS_KEY": "secret",
            "KUBECONFIG": self.kubeconfig, "SYSTEM_NAMESPACE": NAMESPACE, "LEADER_ELECTION_NAMESPACE": NAMESPACE,
            "CLUSTER_NAME": "demo", "CLUSTER_ENDPOINT": server["server"], "INTERRUPTION_QUEUE": QUEUE,
            "ISOLATED_VPC": "true",  # moto has no Pricing: both use the prices that they contain
            "METRICS_PORT": str(metrics), "HEALTH_PROBE_PORT": str(health), **self.environment}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self.command, *more], env=environment, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        self.cluster.metrics_url = f"http://127.0.0.1:{metrics}/metrics"
        self.ready_url = f"http://127.0.0.1:{health}/readyz"

    def last_lines(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "\n".join(file.read().splitlines()[-20:])

    def stop(self):
        """Ends it as the kubelet does, and waits. Karpenter installs no handler of SIGTERM: it ends with its lease held."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Wrong(f"{self.name} did not end within {LIMIT} s") from None
        self.process = None
        if code != (-signal.SIGTERM if self.name == KARPENTER else 0):
            raise Wrong(f"{self.name} ended with {code}: {self.last_lines()}")
        print(f"ok   {self.name} has stopped", flush=True)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
