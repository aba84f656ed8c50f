"""The plays. In each, Karpenter runs five pods first; at the end of each, no controller runs."""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess

import boto3
import yaml
from account import REGION
from cluster import LIMIT, Wrong, check, is_true
from controllers import ACCOUNT, ADMIN, KARPENTER, NAMESPACE, QUEUE, START_LIMIT, TENON, Controller, access_key
from recording import record
from records import Log, aws_actions, aws_writes, kubernetes_writes

HERE = os.path.dirname(__file__)
ROOT = os.path.join(HERE, "..", "..", "..", "..")
SETTLED_SECONDS = 60  # beyond consolidateAfter, and the validation of a move
OBSERVER = "tenon-observer"


def documents(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return list(yaml.safe_load_all(file))


class Play:
    def __init__(self, cluster, account, options):
        self.cluster, self.account, self.options = cluster, account, options
        logs = os.path.join(options.programs, "log")
        self.karpenter = Controller(cluster, options.cluster, logs, KARPENTER,
                                    [os.path.join(options.programs, "bin", "karpenter")])
        # The cluster has no Service through which the API server could call webhooks.
        command = [options.tenon, "controller", "--log-format", "text", "--webhook-port", "0"]
        self.tenon = Controller(cluster, options.cluster, logs, TENON, command)
        self.observer = Controller(cluster, options.cluster, logs, OBSERVER, [*command, "--observe"])

    def prepare(self):
        """Creates the service accounts, the interruption queue, and what a user of Karpenter has."""
        boto3.client("sqs", region_name=REGION).create_queue(QueueName=QUEUE)
        self.cluster.apply(ACCOUNT, ADMIN, *documents(ROOT, "deploy", "rbac.yaml"),
                           *documents(ROOT, "deploy", "rbac-observe.yaml"))
        self.cluster.apply(*documents(HERE, "objects.yaml"))

    def end(self):
        for controller in (self.karpenter, self.tenon, self.observer):
            controller.kill()

    def adopt(self, *options):
        """Returns the findings of `tenon adopt` that forbid the takeover or announce replacements."""
        folder = self.options.cluster
        command = [self.options.tenon, "adopt", "-o", "json", "--kubeconfig", os.path.join(folder, "kubeconfig"),
                   "--rollback-file", os.path.join(folder, "rollback.yaml"), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        try:
            findings = json.loads(done.stdout)["findings"]
        except ValueError:
            raise Wrong(f"tenon adopt: {done.stdout}{done.stderr}") from None
        return [finding for finding in findings if finding["level"] in ("blocks", "drifts")]

    def karpenter_scales(self):
        self.karpenter.start()
        self.cluster.until("the NodePool is ready",
                           lambda: is_true(self.cluster.live["pools"].get("default", {}), "Ready"), limit=START_LIMIT)
        self.cluster.scale(5)
        self.cluster.settles(5)
        self.cluster.calms(KARPENTER, SETTLED_SECONDS)
        self.account.runs_what(self.cluster)

    def karpenter_stops(self):
        check("a controller that leads blocks the takeover", ["blocks"], [f["level"] for f in self.adopt("--dry-run")])
        self.karpenter.stop()
        # A lease that nobody renews expires; each attempt takes as long as the reading, with a second in between.
        for _ in range(LIMIT):
            if not self.adopt("--dry-run"):
                return
            self.cluster.wait(1)
        raise Wrong(f"the takeover is not possible within {LIMIT} attempts: {self.adopt('--dry-run')}")

    # Plays.
    def takeover(self):
        """Tenon takes over, scales, and Karpenter takes back: nothing is replaced."""
        self.karpenter_scales()
        self.karpenter_stops()
        if self.options.record:
            record(self.cluster, self.account, self.options.versions, self.options.record)
        self.tenon_takes_over()
        self.tenon_scales()
        self.tenon.stop()
        self.karpenter_returns()

    def tenon_takes_over(self):
        check("the takeover is prepared", [], self.adopt("--apply"))
        before = self.cluster.instances_of_nodes(self.account)
        self.tenon.start()
        self.cluster.nothing_is_replaced(TENON, self.options.quiet)
        check("each node has the instance that it had", before, self.cluster.instances_of_nodes(self.account))

    def tenon_scales(self):
        before = set(self.cluster.live["nodes"])
        self.cluster.scale(12)
        self.cluster.settles(12)
        check("the nodes of Karpenter are still there", set(), before - set(self.cluster.live["nodes"]))
        check("Tenon launches nodes", True, bool(set(self.cluster.live["nodes"]) - before))
        self.account.runs_what(self.cluster)
        self.cluster.scale(5)
        self.cluster.settles(5)
        self.cluster.calms(TENON, SETTLED_SECONDS)
        self.account.runs_what(self.cluster)

    def karpenter_returns(self):
        before = self.cluster.instances_of_nodes(self.account)
        self.karpenter.start()
        self.cluster.nothing_is_replaced(KARPENTER, self.options.quiet)
        check("each node has the instance that it had", before, self.cluster.instances_of_nodes(self.account))
        self.account.bought_once()
        self.karpenter.stop()

    def without_wait(self):
        """With an adoption wait of 0, Tenon may consolidate at once, but no node drifts."""
        self.karpenter_scales()
        self.karpenter.stop()
        self.tenon.start("--adoption-wait", "0s")
        self.cluster.nothing_drifts(TENON, SETTLED_SECONDS)
        self.tenon.stop()

    def observe(self):
        """Tenon observes while Karpenter scales: it writes nothing but its lease and its events."""
        audit, requests = Log(self.options.cluster + ".audit"), Log(self.options.cluster + ".requests")
        self.karpenter_scales()
        self.observer.start(lease=OBSERVER)
        self.cluster.until_first_pass()
        self.cluster.scale(12)
        self.cluster.settles(12)
        self.cluster.scale(5)
        self.cluster.settles(5)
        self.observer.stop()
        self.karpenter.stop()
        self.wrote_nothing(audit, requests)

    def wrote_nothing(self, audit, requests):
        check("the audit log has the writes of Karpenter", True, bool(kubernetes_writes(audit, KARPENTER)))
        allowed = {("events", NAMESPACE), ("leases", NAMESPACE)}
        writes = kubernetes_writes(audit, OBSERVER)
        check("Tenon writes a lease of its own name", {OBSERVER, ""},
              {name for verb, kind, _, name in writes if kind == "leases"} | {""})
        check("no other write of Tenon reaches the API server", set(),
              {write for write in writes if write[1:3] not in allowed})
        check("moto has the writes of Karpenter", True, "CreateFleet" in aws_writes(requests, access_key(KARPENTER)))
        check("Tenon reads from AWS", True, "DescribeInstances" in aws_actions(requests, access_key(OBSERVER)))
        check("no write of Tenon reaches AWS", set(), aws_writes(requests, access_key(OBSERVER)))
