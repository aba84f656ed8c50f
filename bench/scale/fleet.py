"""The instances behind the nodes of a recorded cluster, launched at an emulated AWS (tenon fake-aws).

launch(environment, wanted) launches instances of each (type, zone) in `wanted`, a Counter, as Tenon would have, and returns
their ids as lists by (type, zone). `environment` has AWS_ENDPOINT_URL, AWS_REGION and the keys.
"""
# SPDX-License-Identifier: Apache-2.0
import datetime
import hashlib
import hmac
import re
import urllib.error
import urllib.parse
import urllib.request

TAGS = {"kubernetes.io/cluster/demo": "owned", "karpenter.sh/nodepool": "default", "karpenter.k8s.aws/ec2nodeclass": "default",
        "eks:eks-cluster-name": "demo"}
TEMPLATE = "recorded"
IMAGE = "amazon/amazon-eks-node-al2023-x86_64-standard-1.33-v20260818"  # the newest for the version of list_server.py


def call(environment, action, **parameters):
    """Returns the XML of the answer to a signed request of EC2's query API."""
    url, region = environment["AWS_ENDPOINT_URL"], environment["AWS_REGION"]
    body = urllib.parse.urlencode({"Action": action, "Version": "2016-11-15", **parameters}).encode()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    headers = {"content-type": "application/x-www-form-urlencoded", "host": urllib.parse.urlsplit(url).netloc, "x-amz-date": now}
    names = ";".join(headers)
    request = "\n".join(["POST", "/", "", *(f"{name}:{value}" for name, value in headers.items()), "", names,
                         hashlib.sha256(body).hexdigest()])
    scope = f"{now[:8]}/{region}/ec2/aws4_request"
    key = ("AWS4" + environment["AWS_SECRET_ACCESS_KEY"]).encode()
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    to_sign = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(request.encode()).hexdigest()])
    headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={environment['AWS_ACCESS_KEY_ID']}/{scope}, "
                                f"SignedHeaders={names}, Signature={hmac.digest(key, to_sign.encode(), 'sha256').hex()}")
    try:
        with urllib.request.urlopen(urllib.request.Request(url + "/", data=body, headers=headers), timeout=60) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{action}: {error.read().decode()}") from error


def launch(environment, wanted):
    subnets = {}
    for one in re.findall(r"<item>(?:(?!<item>).)*?<availabilityZone>.*?</item>", call(environment, "DescribeSubnets"), re.S):
        zone = re.search(r"<availabilityZone>([^<]+)<", one)[1]
        subnets.setdefault(zone, re.search(r"<subnetId>([^<]+)<", one)[1])
    image = re.search(rf"<imageId>(ami-[0-9a-f]+)</imageId><imageLocation>{IMAGE}<", call(environment, "DescribeImages"))[1]
    groups = call(environment, "DescribeSecurityGroups", **{"Filter.1.Name": "tag:karpenter.sh/discovery",
                                                            "Filter.1.Value.1": "demo"})
    interface = "LaunchTemplateData.NetworkInterface.1."
    call(environment, "CreateLaunchTemplate", **{
        "LaunchTemplateName": TEMPLATE, "LaunchTemplateData.ImageId": image, interface + "DeviceIndex": 0,
        **{f"{interface}SecurityGroupId.{i}": group
           for i, group in enumerate(sorted(set(re.findall(r"<groupId>(sg-[0-9a-f]+)<", groups))), 1)}})
    tags = {f"TagSpecification.1.Tag.{i}.{part}": text for i, tag in enumerate(TAGS.items(), 1)
            for part, text in zip(("Key", "Value"), tag)}
    override = "LaunchTemplateConfigs.1.Overrides.1."
    template = "LaunchTemplateConfigs.1.LaunchTemplateSpecification."
    launched = {}
    for (kind, zone), count in wanted.items():
        answer = call(environment, "CreateFleet", **{
            "Type": "instant", "TargetCapacitySpecification.TotalTargetCapacity": count,
            "TargetCapacitySpecification.DefaultTargetCapacityType": "on-demand", template + "LaunchTemplateName": TEMPLATE,
            template + "Version": "$Latest", override + "InstanceType": kind, override + "SubnetId": subnets[zone],
            override + "AvailabilityZone": zone, "TagSpecification.1.ResourceType": "instance", **tags})
        launched[kind, zone] = re.findall(r"i-[0-9a-f]{17}", answer)
        assert len(launched[kind, zone]) == count, answer[:2000]
    return launched
