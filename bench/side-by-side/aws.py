"""moto as AWS, for one play: an empty account with a cluster's resources, and the machines of its instances."""
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import urllib.request

import boto3
from cluster import Wrong
from controllers import QUEUE, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, "..", "..", "tests", "peers")
CLUSTER = "demo"
SETUP = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


class Moto:
    def __init__(self, cluster, programs, kubeconfig):
        self.cluster, self.programs, self.kubeconfig, self.url = cluster, programs, kubeconfig, ""
        self.server = self.kubelets = None

    def serve(self, name, *command):
        with open(os.path.join(self.programs, "log", f"side-by-side-{name}.log"), "wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def start(self):
        if self.server is None:
            port = free_port()
            self.url = os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{port}"
            self.server = self.serve("moto", sys.executable, os.path.join(PEERS, "moto_quick.py"),
                                     "-H", "127.0.0.1", "-p", str(port))
            self.wait()
        os.environ["AWS_ENDPOINT_URL"] = self.url
        with urllib.request.urlopen(urllib.request.Request(self.url + "/moto-api/reset", method="POST"), timeout=120):
            pass
        made = subprocess.run([sys.executable, os.path.join(PEERS, "moto_world.py")], check=True, capture_output=True, text=True,
                              env=os.environ | {"PEER_CLUSTER": CLUSTER, "PEER_ZONES": "abcd"}).stdout
        os.environ.update({name: value for name, value in (line.split("=", 1) for line in made.splitlines())
                           if name in SETUP})
        boto3.client("sqs", region_name=os.environ["AWS_REGION"]).create_queue(QueueName=QUEUE)
        self.kubelets = self.serve("kubelets", sys.executable, os.path.join(PEERS, "moto_kubelets.py"), self.kubeconfig, CLUSTER)

    def wait(self):
        for _ in range(120):
            try:
                with urllib.request.urlopen(os.environ["AWS_ENDPOINT_URL"] + "/moto-api/data.json", timeout=30):
                    return
            except OSError:
                self.cluster.wait(0.5)
        raise Wrong("moto does not answer")

    def end_play(self):
        if self.kubelets is not None:
            self.kubelets.kill()
            self.kubelets.wait()
            self.kubelets = None

    def stop(self):
        self.end_play()
        if self.server is not None:
            self.server.kill()
            self.server.wait()
            self.server = None


class Nothing:
    """The cloud of kwok: launches are objects in the cluster."""

    def start(self):
        os.environ["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"

    def end_play(self):
        pass

    def stop(self):
        pass
