"""Shared by these tests: clients of the embedded AWS, configured by the environment as for any boto3 user. Every answer is
compared with AWS's model of it, because botocore itself drops unknown members silently."""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import unittest
import xml.etree.ElementTree as ElementTree

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

CLUSTER = "demo"
DISCOVERY = [{"Name": "tag:karpenter.sh/discovery", "Values": [CLUSTER]}]
ONCE = Config(retries={"max_attempts": 1, "mode": "standard"})
KEYS = {"aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"]}


def client(service, config=ONCE, **options):
    made = boto3.client(service, config=config, **{**KEYS, **options})
    made.meta.events.register("before-parse", refuse_unknown)
    return made


def error_code(call, *args, **kwargs):
    """Returns the error code of the call; fails if it succeeds."""
    try:
        call(*args, **kwargs)
    except ClientError as error:
        return error.response["Error"]["Code"]
    raise AssertionError(f"{call.__name__} was not refused")


def refuse_unknown(operation_model, response_dict, **_):
    if response_dict["status_code"] >= 300 or operation_model.output_shape is None:
        return
    protocol = operation_model.metadata["protocol"]
    if protocol in ("ec2", "query"):
        root = ElementTree.fromstring(response_dict["body"])
        unknown = list(unknown_elements(protocol, operation_model.output_shape, root))
    else:
        unknown = list(unknown_keys(operation_model.output_shape, json.loads(response_dict["body"] or b"{}")))
    if unknown:
        raise AssertionError(f"{operation_model.name} answers what AWS's model does not know: {unknown}")


def name_of(element):
    return element.tag.rpartition("}")[2]


def unknown_elements(protocol, shape, root):
    if protocol == "ec2":
        yield from unknown_below(shape, [child for child in root if name_of(child) != "requestId"], "")
        return
    for child in root:
        if name_of(child) == shape.serialization.get("resultWrapper"):
            yield from unknown_below(shape, list(child), "")
        elif name_of(child) != "ResponseMetadata":
            yield name_of(child)


def unknown_below(shape, elements, path):
    if shape.type_name == "structure":
        members = {m.serialization.get("name", name): m for name, m in shape.members.items()}
        for element in elements:
            at = f"{path}/{name_of(element)}"
            if name_of(element) not in members:
                yield at
                continue
            member = members[name_of(element)]
            yield from unknown_below(member, list(element), at)
    elif shape.type_name == "list":
        item = shape.member.serialization.get("name", "member")
        for element in elements:
            if name_of(element) != item:
                yield f"{path}/{name_of(element)}"
            yield from unknown_below(shape.member, list(element), path)
    elif elements:
        yield f"{path}: elements in a {shape.type_name}"


def unknown_keys(shape, document, path=""):
    if shape.type_name == "structure" and isinstance(document, dict):
        members = {m.serialization.get("name", name): m for name, m in shape.members.items()}
        for key, value in document.items():
            if key not in members:
                yield f"{path}/{key}"
            else:
                yield from unknown_keys(members[key], value, f"{path}/{key}")
    elif shape.type_name == "list":
        for value in document:
            yield from unknown_keys(shape.member, value, path)


class AccountTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.ec2 = client("ec2")
        cls.subnets = cls.ec2.describe_subnets(Filters=DISCOVERY)["Subnets"]
        cls.group = cls.ec2.describe_security_groups(Filters=DISCOVERY)["SecurityGroups"][0]["GroupId"]
        cls.image = client("ssm").get_parameter(
            Name="/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"
        )["Parameter"]["Value"]
