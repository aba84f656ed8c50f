"""Accepted are requests as botocore signs them; rejected are changed or old ones and those for another region."""
# SPDX-License-Identifier: Apache-2.0
import datetime
import unittest
from unittest import mock

import botocore.auth
from account import CLUSTER, ONCE, client, error_code
from botocore import UNSIGNED
from botocore.config import Config

CALLS = {"ec2": ("describe_availability_zones", {}),
         "iam": ("get_role", {"RoleName": "KarpenterNodeRole-" + CLUSTER}),
         "sts": ("get_caller_identity", {}),
         "ssm": ("get_parameter", {"Name": "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/"
                                           "recommended/image_id"}),
         "pricing": ("get_products", {"ServiceCode": "AmazonEC2", "MaxResults": 1}),
         "sqs": ("get_queue_url", {"QueueName": CLUSTER}),
         "eks": ("describe_cluster", {"name": CLUSTER})}
JSON = ("ssm", "pricing", "sqs", "eks")


def ask(made, service):
    operation, arguments = CALLS[service]
    return getattr(made, operation)(**arguments)


def code(made, service):
    return error_code(getattr(made, CALLS[service][0]), **CALLS[service][1])


class Signatures(unittest.TestCase):
    def expect(self, make, ec2, query, json):
        for service in CALLS:
            with self.subTest(service):
                wanted = ec2 if service == "ec2" else json if service in JSON else query
                self.assertEqual(code(make(service), service), wanted)

    def test_right(self):
        for service in CALLS:
            with self.subTest(service):
                self.assertEqual(ask(client(service), service)["ResponseMetadata"]["HTTPStatusCode"], 200)

    def test_wrong_secret(self):
        self.expect(lambda s: client(s, aws_secret_access_key="wrong"),
                    "SignatureDoesNotMatch", "SignatureDoesNotMatch", "InvalidSignatureException")

    def test_unknown_key(self):
        self.expect(lambda s: client(s, aws_access_key_id="AKIANOBODY"),
                    "AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException")

    def test_unsigned(self):
        self.expect(lambda s: client(s, config=Config(signature_version=UNSIGNED, retries={"max_attempts": 1})),
                    "MissingAuthenticationToken", "MissingAuthenticationToken", "MissingAuthenticationTokenException")

    def test_changed_on_the_way(self):
        def change(request, **_):
            if request.body:
                request.body = request.body.swapcase()
            else:
                request.url += "?extra=1"

        def make(service):
            made = client(service)
            made.meta.events.register("before-send", change)
            return made

        self.expect(make, "SignatureDoesNotMatch", "SignatureDoesNotMatch", "InvalidSignatureException")

    def test_too_old(self):
        late = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=20)
        then = mock.Mock(return_value=late.replace(tzinfo=None))
        with mock.patch.object(botocore.auth, "get_current_datetime", then):
            self.expect(client, "RequestExpired", "SignatureDoesNotMatch", "InvalidSignatureException")

    def test_another_region(self):
        for service in ("ec2", "ssm", "sqs", "eks"):
            with self.subTest(service):
                elsewhere = client(service, config=ONCE, region_name="eu-west-1")
                self.assertIn(code(elsewhere, service), ("SignatureDoesNotMatch", "InvalidSignatureException"))
