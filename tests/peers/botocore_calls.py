"""Every call of the embedded AWS through boto3, once as a user would make it; and a wrong key, which must be refused."""
# SPDX-License-Identifier: Apache-2.0
import base64
import os
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

FAILED = []


def check(what, ok, seen=None):
    print("ok  " if ok else "FAIL", what, "" if ok else repr(seen))
    if not ok:
        FAILED.append(what)


def code_of(call):
    try:
        call()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


ec2, ssm, iam, eks, sts = (boto3.client(name) for name in ("ec2", "ssm", "iam", "eks", "sts"))

check("sts", sts.get_caller_identity()["Account"] == "123456789012")
types = [t for page in ec2.get_paginator("describe_instance_types").paginate(PaginationConfig={"PageSize": 100})
         for t in page["InstanceTypes"]]
check("describe_instance_types", len(types) >= 120 and any(t["InstanceType"] == "m5.large" for t in types), len(types))
offerings = ec2.describe_instance_type_offerings(LocationType="availability-zone",
                                                 Filters=[{"Name": "instance-type", "Values": ["m5.large"]}])
check("describe_instance_type_offerings", len(offerings["InstanceTypeOfferings"]) == 4, offerings)
subnets = ec2.describe_subnets(Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": ["demo"]}])["Subnets"]
check("describe_subnets", len(subnets) == 4, subnets)
groups = ec2.describe_security_groups(Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": ["demo"]}])["SecurityGroups"]
check("describe_security_groups", len(groups) == 1, groups)
check("describe_availability_zones", len(ec2.describe_availability_zones()["AvailabilityZones"]) == 4)
image = ssm.get_parameter(Name="/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id")
ami = image["Parameter"]["Value"]
check("get_parameter", ami.startswith("ami-"), image)
check("describe_images", ec2.describe_images(ImageIds=[ami])["Images"][0]["Architecture"] == "x86_64")
check("describe_spot_price_history",
      len(ec2.describe_spot_price_history(InstanceTypes=["m5.large"], ProductDescriptions=["Linux/UNIX"])["SpotPriceHistory"]) == 4)
check("describe_cluster", eks.describe_cluster(name="demo")["cluster"]["status"] == "ACTIVE")
check("missing cluster", code_of(lambda: eks.describe_cluster(name="nope")) == "ResourceNotFoundException")
iam.create_instance_profile(InstanceProfileName="p1")
iam.add_role_to_instance_profile(InstanceProfileName="p1", RoleName="KarpenterNodeRole-demo")
check("instance profile", len(iam.get_instance_profile(InstanceProfileName="p1")["InstanceProfile"]["Roles"]) == 1)
iam.remove_role_from_instance_profile(InstanceProfileName="p1", RoleName="KarpenterNodeRole-demo")
iam.delete_instance_profile(InstanceProfileName="p1")
check("deleted profile", code_of(lambda: iam.get_instance_profile(InstanceProfileName="p1")) == "NoSuchEntity")

ec2.create_launch_template(LaunchTemplateName="template-1", LaunchTemplateData={
    "ImageId": ami, "SecurityGroupIds": [groups[0]["GroupId"]],
    "UserData": base64.b64encode(b"#!/bin/bash\n").decode()})
check("describe_launch_templates", len(ec2.describe_launch_templates(LaunchTemplateNames=["template-1"])["LaunchTemplates"]) == 1)
fleet = dict(
    Type="instant", ClientToken="token-1",
    TargetCapacitySpecification={"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"},
    LaunchTemplateConfigs=[{
        "LaunchTemplateSpecification": {"LaunchTemplateName": "template-1", "Version": "$Latest"},
        "Overrides": [{"InstanceType": t, "SubnetId": subnets[0]["SubnetId"]} for t in ("m5.large", "c5.large")]}],
    TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "team", "Value": "a"}]}])
first, again = ec2.create_fleet(**fleet), ec2.create_fleet(**fleet)
ids = first["Instances"][0]["InstanceIds"]
check("create_fleet takes the cheapest", first["Instances"][0]["InstanceType"] == "c5.large", first)
check("ClientToken buys once", again["Instances"][0]["InstanceIds"] == ids, again)
instance = ec2.describe_instances(InstanceIds=ids)["Reservations"][0]["Instances"][0]
check("describe_instances", {"Key": "team", "Value": "a"} in instance["Tags"], instance)
ec2.create_tags(Resources=ids, Tags=[{"Key": "late", "Value": "b"}])
check("create_tags", ec2.describe_instances(Filters=[{"Name": "tag:late", "Values": ["b"]}])["Reservations"])
check("terminate_instances",
      ec2.terminate_instances(InstanceIds=ids)["TerminatingInstances"][0]["CurrentState"]["Name"] == "shutting-down")
ec2.delete_launch_template(LaunchTemplateName="template-1")
check("unknown instance", code_of(lambda: ec2.describe_instances(InstanceIds=["i-00000000000000000"])) == "InvalidInstanceID.NotFound")
check("dry run", code_of(lambda: ec2.create_fleet(**fleet | {"DryRun": True})) == "DryRunOperation")
products = boto3.client("pricing").get_products(ServiceCode="AmazonEC2", Filters=[
    {"Type": "TERM_MATCH", "Field": "instanceType", "Value": "m5.large"}])
check("get_products", len(products["PriceList"]) >= 1, products)
wrong = boto3.client("ec2", aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="wrong",
                     config=Config(retries={"max_attempts": 1}))
check("a wrong key is refused", code_of(wrong.describe_availability_zones) in ("AuthFailure", "SignatureDoesNotMatch"))
sys.exit(1 if FAILED else 0)
