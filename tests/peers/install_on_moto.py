"""install_on_moto.py TENON: moto makes the stack and accepts the IAM documents that `tenon install` prints; the roles,
profile, queue and rules that come out are read back and compared.

moto has no AWS::EKS::AccessEntry, PodIdentityAssociation, FargateProfile and AWS::SQS::QueuePolicy, and stores the text of
a managed policy as a JSON string: those are left to cfn-lint, and their documents to moto's IAM and SQS. It ignores
ManagedPolicyArns: the test attaches each of them itself, which proves that AWS has a policy of that name."""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys

import boto3

TENON = sys.argv[1]
REGION, ACCOUNT, CLUSTER = os.environ["AWS_REGION"], "123456789012", "peer"
OIDC = "oidc.eks.us-east-1.amazonaws.com/id/AB12"
KEYS = {"aws_access_key_id": "setup", "aws_secret_access_key": "setup", "region_name": REGION}
cloudformation, iam, sqs, events = (boto3.client(name, **KEYS)
                                    for name in ("cloudformation", "iam", "sqs", "events"))


def install(what, *settings):
    command = [TENON, "install", what]
    for setting in settings:
        command += ["--set", setting]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")
    print(f"ok: {what}")


documents = json.loads(install("iam", f"clusterName={CLUSTER}", f"region={REGION}", f"accountId={ACCOUNT}",
                               f"oidcProvider={OIDC}", "launchTemplateId=lt-0123456789abcdef0"))


def stack_of(name, *settings):
    cloudformation.create_stack(StackName=name, TemplateBody=install("cloudformation", *settings),
                                Capabilities=["CAPABILITY_NAMED_IAM"])
    stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    check(stack["StackStatus"], "CREATE_COMPLETE", f"stack {name}")
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def test_stack():
    boundary = iam.create_policy(PolicyName="boundary", PolicyDocument=json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}))["Policy"]["Arn"]
    outputs = stack_of("all", f"clusterName={CLUSTER}", f"oidcProvider={OIDC}", f"permissionsBoundary={boundary}")
    node = iam.get_role(RoleName=outputs["NodeRoleName"])["Role"]
    check(node["RoleName"], f"KarpenterNodeRole-{CLUSTER}", "name of the nodes' role")
    check(node["AssumeRolePolicyDocument"], documents["node-trust-policy"], "who the nodes' role trusts")
    for arn in re.findall(r"arn:\$\{AWS::Partition\}:iam::aws:policy/\w+", install("cloudformation")):
        if "Fargate" not in arn:
            iam.attach_role_policy(RoleName=node["RoleName"], PolicyArn=arn.replace("${AWS::Partition}", "aws"))
    attached = iam.list_attached_role_policies(RoleName=node["RoleName"])["AttachedPolicies"]
    check(sorted(policy["PolicyName"] for policy in attached),
          ["AmazonEC2ContainerRegistryReadOnly", "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy",
           "AmazonSSMManagedInstanceCore"], "policies of the nodes' role")
    profile = iam.get_instance_profile(InstanceProfileName=outputs["InstanceProfileName"])["InstanceProfile"]
    check([role["RoleName"] for role in profile["Roles"]], [node["RoleName"]], "role of the instance profile")
    controller = iam.get_role(RoleName=f"KarpenterControllerRole-{CLUSTER}")["Role"]
    check(outputs["ControllerRoleArn"], controller["Arn"], "output of the controller's role")
    check(controller["AssumeRolePolicyDocument"], documents["controller-trust-policy-irsa"],
          "who the controller's role trusts")
    policy = iam.get_role_policy(RoleName=controller["RoleName"], PolicyName="controller")["PolicyDocument"]
    check(policy, documents["controller-policy"], "policy of the controller's role")
    for role in (node, controller):
        check(role["PermissionsBoundary"]["PermissionsBoundaryArn"], boundary, f"boundary of {role['RoleName']}")


def test_queue_and_rules():
    queue = sqs.get_queue_url(QueueName=CLUSTER)["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    check(attributes["MessageRetentionPeriod"], "300", "seconds that a message is kept")
    patterns = []
    for rule in events.list_rules()["Rules"]:
        patterns.append(json.loads(rule["EventPattern"]))
        targets = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        check([target["Arn"] for target in targets], [attributes["QueueArn"]], f"target of {rule['Name']}")
    check(sorted(patterns, key=str), sorted(documents["event-patterns"].values(), key=str), "event patterns")
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": json.dumps(documents["queue-policy"])})


def test_other_stacks():
    outputs = stack_of("pod-identity", "clusterName=two", "controllerRole=Tenon", "nodeRole=Nodes", "queueName=warnings")
    check(outputs, {"QueueName": "warnings", "NodeRoleName": "Nodes",
                    "InstanceProfileName": "KarpenterNodeInstanceProfile-two",
                    "ControllerRoleArn": f"arn:aws:iam::{ACCOUNT}:role/Tenon"}, "names that are set")
    trust = iam.get_role(RoleName="Tenon")["Role"]["AssumeRolePolicyDocument"]
    check(trust["Statement"][0]["Principal"], {"Service": "pods.eks.amazonaws.com"}, "who trusts Pod Identity")
    check(stack_of("queue", "clusterName=three", "roles=false"), {"QueueName": "three"}, "stack without roles")


def test_iam_takes_each_document():
    for name, document in documents.items():
        if name == "event-patterns" or name == "queue-policy":
            continue
        text = json.dumps(document)
        if "trust" in name:
            iam.create_role(RoleName=f"document-{name}", AssumeRolePolicyDocument=text)
        else:
            iam.create_policy(PolicyName=f"document-{name}", PolicyDocument=text)
        print(f"ok: IAM takes {name}")
    spoilt = dict(documents["controller-policy"], Version="2012-10-18")
    try:
        iam.create_policy(PolicyName="spoilt", PolicyDocument=json.dumps(spoilt))
    except iam.exceptions.MalformedPolicyDocumentException:
        print("ok: IAM refuses a spoilt document")
    else:
        sys.exit("moto's IAM accepts a spoilt document: it judges nothing")


test_stack()
test_queue_and_rules()
test_other_stacks()
test_iam_takes_each_document()
