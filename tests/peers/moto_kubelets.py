"""moto_kubelets.py KUBECONFIG CLUSTER: the machines behind moto's instances, for as long as it runs.

moto lists an instance as running, but nothing boots there. For each one this program registers the Node that its kubelet
would register with the instance's user data, and deletes the Nodes of instances that ended, as the cloud controller does.
The cluster's own simulated kubelets act for such a Node (kwok's annotation). The program also adds the security groups of
the cluster to an instance, which moto's CreateFleet leaves out.
"""
# SPDX-License-Identifier: Apache-2.0
import base64
import email
import json
import math
import os
import shlex
import ssl
import sys
import threading
import urllib.error
import urllib.request

import boto3
import yaml

PERIOD = 0.3  # seconds between reads: moto reports no changes
MIB_PER_GIB = 1024
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


class ApiServer:
    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.token = config["users"][0]["user"]["token"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=authority)

    def send(self, method, path, body=None):
        """Returns the status of the answer."""
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode() if body else None)
        request.add_header("Authorization", "Bearer " + self.token)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, context=self.tls, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


def node_config(user_data):
    """Returns the NodeConfig in a MIME document."""
    for part in email.message_from_string(user_data).walk():
        if part.get_content_type() == "application/node.eks.aws":
            return yaml.safe_load(part.get_payload())["spec"]
    raise ValueError("no NodeConfig in the user data")


def node_labels(flags):
    """Returns the labels of the flag --node-labels="a=b,c=d"."""
    for flag in flags:
        name, _, value = "".join(shlex.split(flag)).partition("=")
        if name == "--node-labels":
            return dict(pair.split("=", 1) for pair in value.split(","))
    return {}


def reserved_millicpu(cpus):
    """Returns the CPU that the kubelet of an EKS image reserves: 6 % of the first CPU, 1 % of the second, 0.5 % of the next
    two, 0.25 % of the rest."""
    return 60 * min(cpus, 1) + 10 * min(max(cpus - 1, 0), 1) + 5 * min(max(cpus - 2, 0), 2) + 2.5 * max(cpus - 4, 0)


def resources(facts, max_pods, root_gib):
    """Capacity and allocatable of a kubelet: 7.5 % of the memory is the hypervisor's."""
    cpus = facts["VCpuInfo"]["DefaultVCpus"]
    memory = facts["MemoryInfo"]["SizeInMiB"]
    memory -= math.ceil(memory * 0.075)
    interfaces = facts["NetworkInfo"]
    pods = interfaces["MaximumNetworkInterfaces"] * (interfaces["Ipv4AddressesPerInterface"] - 1) + 2
    capacity = {"cpu": str(cpus), "memory": f"{memory}Mi", "pods": str(max_pods), "ephemeral-storage": f"{root_gib}Gi"}
    usable_mib = memory - 255 - 11 * pods - 100
    usable_disk = math.floor((root_gib - 1 - root_gib * 0.1) * MIB_PER_GIB)
    return capacity, capacity | {"cpu": f"{math.floor(1000 * cpus - reserved_millicpu(cpus))}m", "memory": f"{usable_mib}Mi",
                                 "ephemeral-storage": f"{usable_disk}Mi"}


class Machines:
    def __init__(self, api, cluster):
        self.api, self.cluster = api, cluster
        self.ec2 = boto3.client("ec2", region_name=os.environ["AWS_REGION"])
        self.nodes = {}  # names by instance id
        self.facts = {}  # by instance type
        found = self.ec2.describe_security_groups(
            Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": [cluster]}])["SecurityGroups"]
        self.groups = [group["GroupId"] for group in found]

    def look(self):
        for page in self.ec2.get_paginator("describe_instances").paginate():
            for reservation in page["Reservations"]:
                for instance in reservation["Instances"]:
                    self.see(instance)

    def see(self, instance):
        name, state = instance["InstanceId"], instance["State"]["Name"]
        if state == "running" and name not in self.nodes:
            self.ec2.modify_instance_attribute(InstanceId=name, Groups=self.groups)
            self.nodes[name] = self.join(instance)
        elif state in ("shutting-down", "terminated") and self.nodes.get(name):
            self.api.send("DELETE", f"/api/v1/nodes/{self.nodes[name]}")
            self.nodes[name] = ""

    def facts_of(self, instance_type):
        if instance_type not in self.facts:
            self.facts[instance_type] = self.ec2.describe_instance_types(InstanceTypes=[instance_type])["InstanceTypes"][0]
        return self.facts[instance_type]

    def join(self, instance):
        """Returns the name of the Node that exists now; empty if it was rejected."""
        told = self.ec2.describe_instance_attribute(InstanceId=instance["InstanceId"], Attribute="userData")
        config = node_config(base64.b64decode(told["UserData"]["Value"]).decode())
        if config["cluster"]["name"] != self.cluster:
            return ""
        kubelet = config["kubelet"]
        facts = self.facts_of(instance["InstanceType"])
        zone, name = instance["Placement"]["AvailabilityZone"], instance["PrivateDnsName"]
        architecture = next(ARCHITECTURES[a] for a in facts["ProcessorInfo"]["SupportedArchitectures"] if a in ARCHITECTURES)
        capacity, allocatable = resources(facts, kubelet["config"]["maxPods"], root_gib=20)
        node = {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": {
                **node_labels(kubelet.get("flags", [])),
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": architecture,
                "node.kubernetes.io/instance-type": instance["InstanceType"],
                "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": zone[:-1]}},
            "spec": {"providerID": f"aws:///{zone}/{instance['InstanceId']}",
                     "taints": kubelet["config"].get("registerWithTaints", [])},
            "status": {"capacity": capacity, "allocatable": allocatable}}
        status = self.api.send("POST", "/api/v1/nodes", node)
        print(instance["InstanceId"], instance["InstanceType"], zone, name, status, flush=True)
        return name if status < 300 else ""


def main():
    machines = Machines(ApiServer(sys.argv[1]), sys.argv[2])
    never = threading.Event()
    while not never.wait(PERIOD):
        machines.look()


if __name__ == "__main__":
    main()
