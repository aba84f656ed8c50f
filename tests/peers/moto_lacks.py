"""Compares docs/conformance/aws.md, "Differences of moto", with the answers of moto: the call of each row is repeated.

Runs beside a moto that moto_world.py has filled. A difference that moto no longer has is a failure, too: then the
walkthroughs and tests beside moto can use moto there."""
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import os
import re
import sys
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

REGION = os.environ["AWS_REGION"]
DOCUMENT = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "conformance", "aws.md")
SECTION = "# Differences of moto"
CHEAP, DEAR = "m5.large", "m5.24xlarge"
PROBES = {}  # by the first cell of their row


def client(service):
    made = boto3.client(service, region_name=REGION, config=Config(retries={"max_attempts": 1, "mode": "standard"}))
    made.meta.events.register("before-parse", remember)
    return made


def remember(response_dict, **_):
    """Stores the raw answer, because botocore cannot parse HTML."""
    remember.status, remember.body = response_dict["status_code"], response_dict["body"]


def answer(call, **arguments):
    """Returns the status, and the error's code (also from XML in place of JSON) or the title of a page."""
    try:
        call(**arguments)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if not code.isdigit():
            return f"{remember.status} {code}"
    except ResponseParserError:
        pass
    title = re.search(rb"<(?:title|Code)>(?:\d+ )?(.*?)</", remember.body)
    return f"{remember.status} {title.group(1).decode()}" if title else str(remember.status)


def row(name):
    def keep(probe):
        PROBES[name] = probe
        return probe
    return keep


ec2, iam, eks, ssm, sqs, events, pricing, arc = (client(service) for service in (
    "ec2", "iam", "eks", "ssm", "sqs", "events", "pricing", "arc-zonal-shift"))
group = os.environ["PEER_GROUP"]


def template(name="probe"):
    """Creates a launch template as Tenon does."""
    if not ec2.describe_launch_templates(Filters=[{"Name": "launch-template-name", "Values": [name]}])["LaunchTemplates"]:
        ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData={
            "ImageId": os.environ["PEER_IMAGE"], "SecurityGroupIds": [group], "IamInstanceProfile": {"Name": profile("probe")},
            "UserData": base64.b64encode(b"#!/bin/bash\n").decode(), "MetadataOptions": {"HttpTokens": "required"},
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 40, "VolumeType": "gp3"}}]})
    return name


def profile(name, path="/probe/"):
    if name not in [p["InstanceProfileName"] for p in iam.list_instance_profiles()["InstanceProfiles"]]:
        iam.create_instance_profile(InstanceProfileName=name, Path=path)
    return name


def fleet(*types, token="", capacity_type="on-demand"):
    """Returns the instance that a fleet launches of these types."""
    bought = ec2.create_fleet(
        Type="instant", LaunchTemplateConfigs=[{
            "LaunchTemplateSpecification": {"LaunchTemplateName": template(), "Version": "$Latest"},
            "Overrides": [{"InstanceType": t, "SubnetId": os.environ["PEER_SUBNET"]} for t in types]}],
        OnDemandOptions={"AllocationStrategy": "lowest-price"},
        TargetCapacitySpecification={"TotalTargetCapacity": 1, "DefaultTargetCapacityType": capacity_type},
        **({"ClientToken": token} if token else {}))
    name = bought["Instances"][0]["InstanceIds"][0]
    return ec2.describe_instances(InstanceIds=[name])["Reservations"][0]["Instances"][0]


@row("DescribeCapacityReservations")
def capacity_reservations():
    return answer(ec2.describe_capacity_reservations)


@row("DescribePlacementGroups")
def placement_groups():
    return answer(ec2.describe_placement_groups)


@row("GetProducts (Pricing)")
def products():
    return answer(pricing.get_products, ServiceCode="AmazonEC2")


@row("GetManagedResource (ARC)")
def managed_resource():
    return answer(arc.get_managed_resource, resourceIdentifier=f"arn:aws:eks:{REGION}:123456789012:cluster/peer")


@row("GetParameter of EKS's images")
def image_parameter():
    return answer(ssm.get_parameter, Name="/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id")


@row("GetParameter of Bottlerocket's images")
def bottlerocket_parameter():
    return answer(ssm.get_parameter, Name="/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id")


@row("PutParameter in their stead")
def parameter_in_their_stead():
    return answer(ssm.put_parameter, Name="/aws/service/eks/optimized-ami/1.34/probe", Value="ami-1", Type="String")


@row("DescribeInstanceTypes of p2.xlarge and p3.2xlarge")
def old_gpus():
    return answer(ec2.describe_instance_types, InstanceTypes=["p2.xlarge", "p3.2xlarge"])


@row("DescribeInstanceTypes as a dry run")
def dry_run():
    return answer(ec2.describe_instance_types, InstanceTypes=[CHEAP], DryRun=True)


@row("DescribeInstanceTypes by pages")
def pages():
    first = ec2.describe_instance_types(MaxResults=5)
    return f"{'all' if len(first['InstanceTypes']) > 500 else 5} of them for MaxResults=5"


@row("DescribeSpotPriceHistory")
def spot_prices():
    return " ".join(sorted({p["SpotPrice"] for p in ec2.describe_spot_price_history()["SpotPriceHistory"]})) + " for all"


@row("ListInstanceProfiles with a PathPrefix")
def path_prefix():
    profile("probe")
    names = [p["InstanceProfileName"] for p in iam.list_instance_profiles(PathPrefix="/elsewhere/")["InstanceProfiles"]]
    return "those of other paths, too" if "probe" in names else "those of the path"


@row("RegisterImage of an architecture")
def architecture():
    image = ec2.register_image(Name="probe", Architecture="arm64", RootDeviceName="/dev/xvda")["ImageId"]
    return ec2.describe_images(ImageIds=[image])["Images"][0].get("Architecture", "an image of none")


@row("DescribeInstances of one id twice")
def one_id_twice():
    name = fleet(CHEAP)["InstanceId"]
    return answer(ec2.describe_instances, InstanceIds=[name, name])


@row("CreateFleet by the lowest price")
def lowest_price():
    return f"{fleet(DEAR, CHEAP)['InstanceType']}, if {CHEAP} comes after it"


@row("CreateFleet of what is not to be had")
def shortage():
    return f"a {fleet('zz9.large')['InstanceType']}"


@row("CreateFleet with the same ClientToken")
def same_token():
    first, second = (fleet(CHEAP, token="the-same")["InstanceId"] for _ in range(2))
    return "the same instance" if first == second else "another instance"


@row("CreateFleet with security groups")
def security_groups():
    bought = [fleet(CHEAP, capacity_type=kind)["SecurityGroups"] for kind in ("on-demand", "spot")]
    said = ["none" if not groups else "it" if group in [g["GroupId"] for g in groups] else "another" for groups in bought]
    return f"{said[0]} on demand, {said[1]} for spot"


@row("CreateFleet with an instance profile")
def instance_profile():
    return "it" if "IamInstanceProfile" in fleet(CHEAP) else "none"


@row("CreateFleet with a root volume of 40 GiB")
def root_volume():
    bought = fleet(CHEAP)["BlockDeviceMappings"]
    volumes = ec2.describe_volumes(VolumeIds=[d["Ebs"]["VolumeId"] for d in bought])["Volumes"]
    return f"{', '.join(str(v['Size']) for v in volumes) or 'no'} GiB"


@row("CreateFleet with required tokens")
def metadata_options():
    return f"HttpTokens {fleet(CHEAP).get('MetadataOptions', {}).get('HttpTokens', 'not told')}"


@row("An instance that starts")
def start():
    return f"{fleet(CHEAP)['State']['Name']} at once"


@row("Notices of EC2 through EventBridge")
def notices():
    queue = sqs.create_queue(QueueName="probe")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name="probe", EventPattern=json.dumps({"source": ["aws.ec2"]}))
    events.put_targets(Rule="probe", Targets=[{"Id": "queue", "Arn": arn}])
    ec2.terminate_instances(InstanceIds=[fleet(CHEAP, capacity_type="spot")["InstanceId"]])
    told = len(sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages", []))
    return f"{told or 'no'} messages"


# The last one: from here on moto judges signatures.
@row("DescribeCluster, its signature judged")
def signed_rest():
    request = urllib.request.Request(os.environ["AWS_ENDPOINT_URL"] + "/moto-api/reset-auth", data=b"0", method="POST",
                                     headers={"Content-Type": "text/plain"})
    with urllib.request.urlopen(request):
        pass
    return answer(eks.describe_cluster, name="peer")


def rows():
    """Returns the rows of the document's table: the answer by the call."""
    with open(DOCUMENT, encoding="utf-8") as file:
        section = file.read().split(SECTION + "\n")[1].split("\n# ")[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    return {line[0]: line[1] for line in cells[2:]}


def main():
    said = rows()
    wrong = sorted(PROBES.keys() ^ said.keys())
    for name in wrong:
        print(f"FAIL {name}: {'not asked here' if name in said else 'no row of docs/conformance/aws.md'}")
    for name, probe in PROBES.items():
        seen = probe()
        same = said.get(name) == seen
        print("ok  " if same else "FAIL", f"{name}: {seen}" + ("" if same else f"; the document says {said.get(name)}"))
        wrong += [] if same else [name]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
