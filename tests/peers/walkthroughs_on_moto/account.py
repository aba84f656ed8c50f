"""The state of the account in moto, read by boto3: which instances were launched, and which remain."""
# SPDX-License-Identifier: Apache-2.0
import collections
import os

import boto3
from cluster import check

REGION = os.environ["AWS_REGION"]


class Account:
    def __init__(self):
        self.ec2 = boto3.client("ec2", region_name=REGION)
        self.iam = boto3.client("iam", region_name=REGION)
        self.own_profiles = set(self.profiles())

    def instances(self, *states):
        """Returns the instances by the provider id of their Nodes."""
        found = {}
        for page in self.ec2.get_paginator("describe_instances").paginate():
            for instance in (i for r in page["Reservations"] for i in r["Instances"]):
                if not states or instance["State"]["Name"] in states:
                    found[f"aws:///{instance['Placement']['AvailabilityZone']}/{instance['InstanceId']}"] = instance
        return found

    def profiles(self):
        return [p["InstanceProfileName"] for p in self.iam.list_instance_profiles()["InstanceProfiles"]]

    def templates(self):
        return self.ec2.describe_launch_templates()["LaunchTemplates"]

    def template_of(self, instance):
        """Returns the launch template of the fleet that launched the instance."""
        fleets = self.ec2.describe_fleets()["Fleets"]
        fleet = next(f for f in fleets if instance["InstanceId"] in self.instances_of(f["FleetId"]))
        spec = fleet["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]
        versions = self.ec2.describe_launch_template_versions(LaunchTemplateName=spec["LaunchTemplateName"])
        return fleet, versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]

    def instances_of(self, fleet):
        return {i["InstanceId"] for i in self.ec2.describe_fleet_instances(FleetId=fleet)["ActiveInstances"]}

    def make_images(self, generation):
        """Creates an image for each architecture, which a node class selects by the tag `generation`.

        Copies of the cluster's: moto does not keep the architecture of a newly registered image.
        """
        made = {}
        for image in self.ec2.describe_images(
                Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": ["demo"]}])["Images"]:
            copy = self.ec2.copy_image(Name=f"node-{generation}-{image['Architecture']}", SourceImageId=image["ImageId"],
                                       SourceRegion=REGION)["ImageId"]
            self.ec2.create_tags(Resources=[copy], Tags=[{"Key": "generation", "Value": generation}])
            made[image["Architecture"]] = copy
        return made

    def runs_what(self, cluster):
        """Checks that the running instances are those of the Nodes, with their types, and no others."""
        nodes = {node["spec"]["providerID"]: node["metadata"]["labels"]["node.kubernetes.io/instance-type"]
                 for node in cluster.live["nodes"].values()}
        running = self.instances("pending", "running")
        check("moto runs the instances of the Nodes and no other", nodes,
              {key: instance["InstanceType"] for key, instance in running.items()})
        return running

    def bought_once(self):
        """Checks for double launches: moto launches again for a known ClientToken."""
        bought = collections.Counter(tag["Value"] for instance in self.instances().values() for tag in instance["Tags"]
                                     if tag["Key"] == "karpenter.sh/nodeclaim")
        check("each NodeClaim was launched once", {}, {claim: n for claim, n in bought.items() if n > 1})

    def is_left_clean(self):
        self.bought_once()
        check("moto runs no instance", {}, self.instances("pending", "running", "stopping", "stopped"))
        check("no launch template is left", [], self.templates())
        check("no instance profile is left", self.own_profiles, set(self.profiles()))
