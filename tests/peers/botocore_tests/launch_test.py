"""From a launch template to an instance and its end."""
# SPDX-License-Identifier: Apache-2.0
import base64
import uuid

from account import AccountTest, error_code

ODD_TEXT = "ünïcode & <xml> + %20"


class Launch(AccountTest):
    def setUp(self):
        self.name = "peer-" + uuid.uuid4().hex[:12]
        self.template = self.ec2.create_launch_template(
            LaunchTemplateName=self.name,
            LaunchTemplateData={
                "ImageId": self.image, "SecurityGroupIds": [self.group],
                "UserData": base64.b64encode(b"#!/bin/bash\necho 'a+b c'\n").decode(),
                "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "VolumeType": "gp3"}}],
                "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1}},
            TagSpecifications=[{"ResourceType": "launch-template",
                                "Tags": [{"Key": "karpenter.k8s.aws/cluster", "Value": ODD_TEXT}]}],
        )["LaunchTemplate"]
        self.addCleanup(self.forget)

    def forget(self):
        ids = [i["InstanceId"] for i in self.instances([{"Name": "tag:test", "Values": [self.name]}])]
        if ids:
            self.ec2.terminate_instances(InstanceIds=ids)
        found = self.ec2.describe_launch_templates(Filters=[{"Name": "launch-template-name", "Values": [self.name]}])
        for template in found["LaunchTemplates"]:
            self.ec2.delete_launch_template(LaunchTemplateId=template["LaunchTemplateId"])

    def fleet(self, types=("m5.large", "c5.large"), kind="on-demand", count=1, zones=1, **more):
        overrides = [{"InstanceType": t, "SubnetId": s["SubnetId"]} for t in types for s in self.subnets[:zones]]
        return dict(
            Type="instant",
            TargetCapacitySpecification={"TotalTargetCapacity": count, "DefaultTargetCapacityType": kind},
            LaunchTemplateConfigs=[{
                "LaunchTemplateSpecification": {"LaunchTemplateName": self.name, "Version": "$Latest"},
                "Overrides": overrides}],
            TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "test", "Value": self.name}]}], **more)

    def instances(self, filters, **more):
        pages = self.ec2.get_paginator("describe_instances").paginate(Filters=filters, **more)
        return [i for page in pages for r in page["Reservations"] for i in r["Instances"]]

    def ids(self, fleet):
        return [i for group in self.ec2.create_fleet(**fleet)["Instances"] for i in group["InstanceIds"]]

    def test_template(self):
        found = self.ec2.describe_launch_templates(LaunchTemplateNames=[self.name])["LaunchTemplates"]
        self.assertEqual([t["LaunchTemplateId"] for t in found], [self.template["LaunchTemplateId"]])
        self.assertEqual(found[0]["Tags"], [{"Key": "karpenter.k8s.aws/cluster", "Value": ODD_TEXT}])
        tagged = [{"Name": "tag:karpenter.k8s.aws/cluster", "Values": [ODD_TEXT]}]
        self.assertEqual(self.ec2.describe_launch_templates(Filters=tagged)["LaunchTemplates"], found)
        again = {"LaunchTemplateName": self.name, "LaunchTemplateData": {"ImageId": self.image}}
        self.assertEqual(error_code(self.ec2.create_launch_template, **again),
                         "InvalidLaunchTemplateName.AlreadyExistsException")
        self.ec2.delete_launch_template(LaunchTemplateName=self.name)
        self.assertEqual(error_code(self.ec2.describe_launch_templates, LaunchTemplateNames=[self.name]),
                         "InvalidLaunchTemplateName.NotFoundException")
        gone = {"LaunchTemplateId": self.template["LaunchTemplateId"]}
        self.assertEqual(error_code(self.ec2.delete_launch_template, **gone), "InvalidLaunchTemplateId.NotFound")

    def test_fleet_takes_the_cheapest(self):
        on_demand = self.ec2.create_fleet(**self.fleet())
        launched = [(i["InstanceType"], i["Lifecycle"]) for i in on_demand["Instances"]]
        self.assertEqual(launched, [("c5.large", "on-demand")])
        self.assertEqual(on_demand["Errors"], [])
        spot = self.ec2.create_fleet(**self.fleet(kind="spot", zones=4))
        launched = spot["Instances"][0]
        self.assertEqual(launched["Lifecycle"], "spot")
        prices = self.ec2.describe_spot_price_history(InstanceTypes=["m5.large", "c5.large"],
                                                      ProductDescriptions=["Linux/UNIX"])
        cheapest = min(prices["SpotPriceHistory"], key=lambda p: float(p["SpotPrice"]))
        instance = self.ec2.describe_instances(InstanceIds=launched["InstanceIds"])["Reservations"][0]["Instances"][0]
        self.assertEqual((instance["InstanceType"], instance["Placement"]["AvailabilityZone"]),
                         (cheapest["InstanceType"], cheapest["AvailabilityZone"]))
        self.assertEqual(instance["InstanceLifecycle"], "spot")

    def test_client_token(self):
        token = str(uuid.uuid4())
        first = self.ids(self.fleet(ClientToken=token))
        self.assertEqual(self.ids(self.fleet(ClientToken=token)), first)
        self.assertEqual(error_code(self.ec2.create_fleet, **self.fleet(types=["m5.large"], ClientToken=token)),
                         "IdempotentParameterMismatch")
        dry_run = self.fleet(ClientToken=token, DryRun=True)
        self.assertEqual(error_code(self.ec2.create_fleet, **dry_run), "DryRunOperation")
        self.assertNotEqual(self.ids(self.fleet(ClientToken=str(uuid.uuid4()))), first)
        self.assertEqual(len(self.instances([{"Name": "tag:test", "Values": [self.name]}])), 2)

    def test_life_of_an_instance(self):
        ids = self.ids(self.fleet(types=["m5.large"]))
        self.ec2.get_waiter("instance_running").wait(InstanceIds=ids, WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        instance = self.ec2.describe_instances(InstanceIds=ids)["Reservations"][0]["Instances"][0]
        self.assertEqual(instance["ImageId"], self.image)
        self.assertEqual(instance["SubnetId"], self.subnets[0]["SubnetId"])
        self.assertTrue(instance["PrivateDnsName"].startswith("ip-10-"))
        self.assertEqual([g["GroupId"] for g in instance["SecurityGroups"]], [self.group])
        self.assertIn({"Key": "test", "Value": self.name}, instance["Tags"])
        self.ec2.create_tags(Resources=ids, Tags=[{"Key": "late", "Value": self.name}])
        late = [{"Name": "tag:late", "Values": [self.name]}]
        self.assertEqual([i["InstanceId"] for i in self.instances(late)], ids)
        self.ec2.delete_tags(Resources=ids, Tags=[{"Key": "late"}])
        self.assertEqual(self.instances(late), [])
        change = self.ec2.terminate_instances(InstanceIds=ids)["TerminatingInstances"][0]
        self.assertEqual(change["PreviousState"]["Name"], "running")
        self.assertEqual(change["CurrentState"]["Name"], "shutting-down")
        self.ec2.get_waiter("instance_terminated").wait(InstanceIds=ids, WaiterConfig={"Delay": 1, "MaxAttempts": 20})

    def test_pages_of_instances(self):
        ids = self.ids(self.fleet(count=23))
        self.assertEqual(len(ids), 23)
        mine = [{"Name": "tag:test", "Values": [self.name]}]
        self.assertEqual(len(self.instances(mine, PaginationConfig={"PageSize": 5})), 23)
        both = {"InstanceIds": ids, "MaxResults": 5}
        self.assertEqual(error_code(self.ec2.describe_instances, **both), "InvalidParameterCombination")
        self.assertEqual(len(self.ec2.terminate_instances(InstanceIds=ids)["TerminatingInstances"]), 23)

    def test_refusals(self):
        nobody = ["i-00000000000000000"]
        lost = self.fleet()
        lost["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = "no-such-template"
        for code, call, arguments in [
            ("InvalidInstanceID.NotFound", self.ec2.describe_instances, {"InstanceIds": nobody}),
            ("InvalidInstanceID.NotFound", self.ec2.terminate_instances, {"InstanceIds": nobody}),
            ("InvalidInstanceID.NotFound", self.ec2.create_tags,
             {"Resources": nobody, "Tags": [{"Key": "a", "Value": "b"}]}),
            ("InvalidInstanceID.Malformed", self.ec2.describe_instances, {"InstanceIds": ["nonsense"]}),
            ("DryRunOperation", self.ec2.create_fleet, self.fleet(DryRun=True)),
            ("InvalidLaunchTemplateName.NotFoundException", self.ec2.create_fleet, lost),
            ("InvalidLaunchTemplateName.MalformedException", self.ec2.create_launch_template,
             {"LaunchTemplateName": "x", "LaunchTemplateData": {"ImageId": self.image}}),
            ("InvalidUserData.Malformed", self.ec2.create_launch_template,
             {"LaunchTemplateName": "peer-odd", "LaunchTemplateData": {"ImageId": self.image, "UserData": "%%%"}}),
        ]:
            with self.subTest(code):
                self.assertEqual(error_code(call, **arguments), code)
