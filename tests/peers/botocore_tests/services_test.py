"""SSM, IAM, EKS, STS, zonal shift, Pricing and SQS."""
# SPDX-License-Identifier: Apache-2.0
import json
import unittest

from account import CLUSTER, client, error_code


class Parameters(unittest.TestCase):
    def test_images(self):
        ssm = client("ssm")
        name = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/recommended/image_id"
        parameter = ssm.get_parameter(Name=name)["Parameter"]
        self.assertTrue(parameter["Value"].startswith("ami-"))
        self.assertEqual(ssm.get_parameter(Name=parameter["ARN"])["Parameter"]["Value"], parameter["Value"])
        self.assertEqual(error_code(ssm.get_parameter, Name="/nope"), "ParameterNotFound")


class InstanceProfiles(unittest.TestCase):
    def test_life(self):
        iam, role = client("iam"), "KarpenterNodeRole-" + CLUSTER
        profile = {"InstanceProfileName": "peer"}
        made = iam.create_instance_profile(Path="/karpenter/a/", Tags=[{"Key": "a", "Value": "b c"}], **profile)
        self.assertEqual(made["InstanceProfile"]["Tags"], [{"Key": "a", "Value": "b c"}])
        self.assertEqual(error_code(iam.create_instance_profile, **profile), "EntityAlreadyExists")
        iam.add_role_to_instance_profile(RoleName=role, **profile)
        self.assertEqual(error_code(iam.add_role_to_instance_profile, RoleName=role, **profile), "LimitExceeded")
        self.assertEqual(error_code(iam.add_role_to_instance_profile, RoleName="nobody", **profile), "NoSuchEntity")
        roles = iam.get_instance_profile(**profile)["InstanceProfile"]["Roles"]
        self.assertEqual([r["Arn"] for r in roles], [iam.get_role(RoleName=role)["Role"]["Arn"]])
        iam.tag_instance_profile(Tags=[{"Key": "late", "Value": "c"}], **profile)
        self.assertEqual(error_code(iam.delete_instance_profile, **profile), "DeleteConflict")
        iam.remove_role_from_instance_profile(RoleName=role, **profile)
        iam.delete_instance_profile(**profile)
        self.assertEqual(error_code(iam.get_instance_profile, **profile), "NoSuchEntity")

    def test_pages(self):
        iam = client("iam")
        names = [f"page-{i}" for i in range(5)]
        for name in names:
            iam.create_instance_profile(InstanceProfileName=name, Path="/pages/")
        pages = iam.get_paginator("list_instance_profiles").paginate(PathPrefix="/pages/",
                                                                     PaginationConfig={"PageSize": 2})
        self.assertEqual([p["InstanceProfileName"] for page in pages for p in page["InstanceProfiles"]], names)
        for name in names:
            iam.delete_instance_profile(InstanceProfileName=name)


class Cluster(unittest.TestCase):
    def test_described(self):
        eks = client("eks")
        cluster = eks.describe_cluster(name=CLUSTER)["cluster"]
        self.assertEqual((cluster["status"], cluster["version"]), ("ACTIVE", "1.34"))
        self.assertEqual(cluster["kubernetesNetworkConfig"]["ipFamily"], "ipv4")
        self.assertEqual(error_code(eks.describe_cluster, name="a b/c"), "ResourceNotFoundException")

    def test_zonal_shift(self):
        arc, arn = client("arc-zonal-shift"), client("eks").describe_cluster(name=CLUSTER)["cluster"]["arn"]
        started = arc.start_zonal_shift(resourceIdentifier=arn, awayFrom="use1-az2", expiresIn="30m", comment="a b")
        self.assertEqual((started["status"], started["awayFrom"]), ("ACTIVE", "use1-az2"))
        self.assertEqual((started["expiryTime"] - started["startTime"]).total_seconds(), 1800)
        resource = arc.get_managed_resource(resourceIdentifier=arn)
        self.assertEqual([zone for zone, weight in resource["appliedWeights"].items() if weight == 0], ["use1-az2"])
        self.assertEqual([shift["appliedStatus"] for shift in resource["zonalShifts"]], ["APPLIED"])
        again = {"resourceIdentifier": arn, "awayFrom": "use1-az1", "expiresIn": "1h", "comment": "c"}
        self.assertEqual(error_code(arc.start_zonal_shift, **again), "ConflictException")
        arc.cancel_zonal_shift(zonalShiftId=started["zonalShiftId"])
        self.assertEqual(set(arc.get_managed_resource(resourceIdentifier=arn)["appliedWeights"].values()), {1.0})
        self.assertEqual(error_code(arc.get_managed_resource, resourceIdentifier=arn + "x"), "ResourceNotFoundException")

    def test_identity(self):
        identity = client("sts").get_caller_identity()
        self.assertEqual(identity["Account"], "123456789012")
        self.assertTrue(identity["Arn"].startswith("arn:aws:iam::123456789012:"))


class Prices(unittest.TestCase):
    def products(self, size=100, **wanted):
        filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
        pages = list(client("pricing").get_paginator("get_products").paginate(
            ServiceCode="AmazonEC2", Filters=filters, PaginationConfig={"PageSize": size}))
        return [json.loads(product) for page in pages for product in page["PriceList"]], len(pages)

    def test_one(self):
        products, _ = self.products(instanceType="m5.large", tenancy="Shared")
        self.assertEqual(len(products), 1)
        (term,) = products[0]["terms"]["OnDemand"].values()
        (dimension,) = term["priceDimensions"].values()
        self.assertEqual(dimension["pricePerUnit"]["USD"], "0.0960000000")

    def test_pages(self):
        products, pages = self.products(size=40, regionCode="us-east-1", operatingSystem="Linux")
        self.assertGreaterEqual(pages, 3)
        skus = [p["product"]["sku"] for p in products]
        self.assertEqual(len(skus), len(set(skus)))
        self.assertEqual(self.products(instanceType="zz9.large")[0], [])


class Interruptions(unittest.TestCase):
    def receive(self, url, body, wait=0):
        """Returns the messages with this text, as soon as there are some. Removes EC2's own, about its instances."""
        sqs = client("sqs")
        while True:
            batch = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=wait, MaxNumberOfMessages=10, VisibilityTimeout=20,
                                        AttributeNames=["SentTimestamp"]).get("Messages", [])
            mine = [m for m in batch if m["Body"] == body]
            for message in batch:
                if message not in mine:
                    self.assertEqual(json.loads(message["Body"])["source"], "aws.ec2")
                    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            if mine or not batch:
                return mine

    def test_messages(self):
        sqs = client("sqs")
        url = sqs.get_queue_url(QueueName=CLUSTER)["QueueUrl"]
        body = json.dumps({"source": "aws.ec2", "detail-type": "EC2 Spot Instance Interruption Warning", "detail": {}})
        sent = sqs.send_message(QueueUrl=url, MessageBody=body)
        received = self.receive(url, body, wait=20)
        self.assertEqual([m["MessageId"] for m in received], [sent["MessageId"]])
        self.assertIn("SentTimestamp", received[0]["Attributes"])
        self.assertEqual(self.receive(url, body), [])  # hidden while a receiver handles it
        sqs.delete_message(QueueUrl=url, ReceiptHandle=received[0]["ReceiptHandle"])
        self.assertEqual(self.receive(url, body, wait=1), [])

    def test_refusals(self):
        sqs = client("sqs")
        with self.assertRaises(sqs.exceptions.QueueDoesNotExist):
            sqs.get_queue_url(QueueName="nope")
        url = sqs.get_queue_url(QueueName=CLUSTER)["QueueUrl"]
        with self.assertRaises(sqs.exceptions.QueueDoesNotExist):
            sqs.receive_message(QueueUrl=url + "x")
        self.assertEqual(error_code(sqs.receive_message, QueueUrl=url, MaxNumberOfMessages=11), "InvalidParameterValue")
