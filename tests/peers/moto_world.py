"""Creates in an empty moto the resources that a cluster has before its node autoscaler, and prints NAME=value lines.
PEER_CLUSTER names the cluster (peer), PEER_ZONES the letters of its zones (abc)."""
# SPDX-License-Identifier: Apache-2.0
import json
import os

import boto3

CLUSTER = os.environ.get("PEER_CLUSTER", "peer")
ZONES = os.environ.get("PEER_ZONES", "abc")
KEYS = {"aws_access_key_id": "setup", "aws_secret_access_key": "setup", "region_name": os.environ["AWS_REGION"]}
DISCOVERY = [{"Key": "karpenter.sh/discovery", "Value": CLUSTER}]
ec2, iam, eks, ssm = (boto3.client(name, **KEYS) for name in ("ec2", "iam", "eks", "ssm"))

vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
subnets = [ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{32 * i}.0/19",
                             AvailabilityZone=f"us-east-1{letter}")["Subnet"]["SubnetId"]
           for i, letter in enumerate(ZONES)]
group = ec2.create_security_group(VpcId=vpc, GroupName="nodes", Description="nodes")["GroupId"]
images = []
for arch in ("x86_64", "arm64"):
    found = ec2.describe_images(Owners=["amazon"], Filters=[{"Name": "architecture", "Values": [arch]}])["Images"]
    images.append(found[0]["ImageId"])
ec2.create_tags(Resources=[*subnets, group, *images], Tags=DISCOVERY)

trust = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["sts:AssumeRole", "sts:AssumeRoleWithWebIdentity"], "Principal": {"AWS": "*"}}]}
allow = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
node_role, controller_role = (
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    for name in (f"KarpenterNodeRole-{CLUSTER}", f"KarpenterControllerRole-{CLUSTER}"))
iam.put_role_policy(RoleName=f"KarpenterControllerRole-{CLUSTER}", PolicyName="all", PolicyDocument=json.dumps(allow))
readable = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "eks:DescribeCluster", "Resource": "*"}]}
attached = iam.create_policy(PolicyName=f"node-{CLUSTER}", PolicyDocument=json.dumps(readable))["Policy"]["Arn"]
iam.attach_role_policy(RoleName=f"KarpenterNodeRole-{CLUSTER}", PolicyArn=attached)
iam.create_user(UserName="tenon")
iam.put_user_policy(UserName="tenon", PolicyName="all", PolicyDocument=json.dumps(allow))
key = iam.create_access_key(UserName="tenon")["AccessKey"]
# The controller's own user has the permissions of deploy/iam/controller-policy.json. moto judges actions, but neither resources (it
# compares every ARN pattern with "*") nor conditions: those are left out.
with open(os.path.join(os.path.dirname(__file__), "..", "..", "deploy", "iam", "controller-policy.json"), encoding="utf-8") as file:
    policy = json.load(file)
for statement in policy["Statement"]:
    statement["Resource"] = "*"
    statement.pop("Condition", None)
iam.create_user(UserName="controller")
iam.put_user_policy(UserName="controller", PolicyName="controller", PolicyDocument=json.dumps(policy))
controller_key = iam.create_access_key(UserName="controller")["AccessKey"]
eks.create_cluster(name=CLUSTER, roleArn=node_role, version="1.34",
                   resourcesVpcConfig={"subnetIds": subnets, "securityGroupIds": [group]})
ssm.put_parameter(Name="/peer/image", Value=images[0], Type="String")

for name, value in {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
                    "PEER_VPC": vpc, "PEER_SUBNET": subnets[0], "PEER_GROUP": group, "PEER_IMAGE": images[0],
                    "PEER_ROLE_ARN": controller_role, "PEER_CONTROLLER_KEY": controller_key["AccessKeyId"],
                    "PEER_CONTROLLER_SECRET": controller_key["SecretAccessKey"]}.items():
    print(f"{name}={value}")
