"""EC2's descriptions: facts of types, offerings, prices, network and images, page by page."""
# SPDX-License-Identifier: Apache-2.0
import datetime

from account import DISCOVERY, AccountTest, error_code, refuse_unknown


class Describe(AccountTest):
    def paged(self, operation, key, size, **arguments):
        """Returns all items and the number of pages."""
        pages = list(self.ec2.get_paginator(operation).paginate(PaginationConfig={"PageSize": size}, **arguments))
        return [item for page in pages for item in page[key]], len(pages)

    def test_instance_types(self):
        filters = [{"Name": "supported-virtualization-type", "Values": ["hvm"]},
                   {"Name": "processor-info.supported-architecture", "Values": ["x86_64", "arm64"]}]
        types, pages = self.paged("describe_instance_types", "InstanceTypes", 50, Filters=filters)
        self.assertGreaterEqual(len(types), 120)
        self.assertGreaterEqual(pages, 3)
        names = [t["InstanceType"] for t in types]
        self.assertEqual(len(names), len(set(names)))
        m5 = types[names.index("m5.large")]
        self.assertEqual(m5["VCpuInfo"]["DefaultVCpus"], 2)
        self.assertEqual(m5["MemoryInfo"]["SizeInMiB"], 8192)
        self.assertEqual(m5["NetworkInfo"]["MaximumNetworkInterfaces"], 3)
        self.assertEqual(m5["NetworkInfo"]["Ipv4AddressesPerInterface"], 10)
        self.assertEqual(m5["ProcessorInfo"]["SupportedArchitectures"], ["x86_64"])
        self.assertEqual(set(m5["SupportedUsageClasses"]), {"on-demand", "spot"})
        gpu = self.ec2.describe_instance_types(InstanceTypes=["g4dn.xlarge"])["InstanceTypes"][0]
        self.assertEqual(gpu["GpuInfo"]["Gpus"][0]["Manufacturer"].lower(), "nvidia")
        arm = self.ec2.describe_instance_types(
            Filters=[{"Name": "processor-info.supported-architecture", "Values": ["arm64"]}])["InstanceTypes"]
        self.assertTrue(arm)
        self.assertTrue(all(t["ProcessorInfo"]["SupportedArchitectures"] == ["arm64"] for t in arm))

    def test_offerings(self):
        offerings, pages = self.paged("describe_instance_type_offerings", "InstanceTypeOfferings", 100,
                                      LocationType="availability-zone")
        self.assertGreater(pages, 1)
        m5 = sorted(o["Location"] for o in offerings if o["InstanceType"] == "m5.large")
        self.assertEqual(m5, [f"us-east-1{letter}" for letter in "abcd"])
        regional = self.ec2.describe_instance_type_offerings(
            LocationType="region", Filters=[{"Name": "instance-type", "Values": ["m5.*"]}])["InstanceTypeOfferings"]
        self.assertTrue(regional)
        self.assertTrue(all(o["Location"] == "us-east-1" and o["InstanceType"].startswith("m5.") for o in regional))

    def test_spot_prices(self):
        prices, pages = self.paged("describe_spot_price_history", "SpotPriceHistory", 100,
                                   ProductDescriptions=["Linux/UNIX"],
                                   StartTime=datetime.datetime.now(datetime.timezone.utc))
        self.assertGreater(pages, 1)
        m5 = {p["AvailabilityZone"]: float(p["SpotPrice"]) for p in prices if p["InstanceType"] == "m5.large"}
        self.assertEqual(len(m5), 4)
        self.assertTrue(all(0 < price < 0.096 for price in m5.values()))

    def test_network(self):
        self.assertEqual(len(self.subnets), 4)
        self.assertTrue(all(s["AvailableIpAddressCount"] > 0 and s["State"] == "available" for s in self.subnets))
        zones = self.ec2.describe_availability_zones()["AvailabilityZones"]
        self.assertEqual({z["ZoneName"]: z["ZoneId"] for z in zones},
                         {s["AvailabilityZone"]: s["AvailabilityZoneId"] for s in self.subnets})
        one = self.ec2.describe_subnets(SubnetIds=[self.subnets[0]["SubnetId"]])["Subnets"]
        self.assertEqual(one, [self.subnets[0]])
        none = self.ec2.describe_subnets(Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": ["another"]}])
        self.assertEqual(none["Subnets"], [])
        groups = self.ec2.describe_security_groups(Filters=DISCOVERY)["SecurityGroups"]
        self.assertEqual([g["VpcId"] for g in groups], [self.subnets[0]["VpcId"]])
        self.assertEqual(len(self.ec2.describe_vpcs()["Vpcs"]), 1)

    def test_images(self):
        image = self.ec2.describe_images(ImageIds=[self.image])["Images"][0]
        self.assertEqual((image["Architecture"], image["State"]), ("x86_64", "available"))
        datetime.datetime.fromisoformat(image["CreationDate"].replace("Z", "+00:00"))
        alike = [{"Name": "name", "Values": [image["Name"][:12] + "*"]}]
        named = self.ec2.describe_images(Owners=["amazon"], Filters=alike)
        self.assertIn(self.image, [i["ImageId"] for i in named["Images"]])
        self.assertEqual(self.ec2.describe_images(Owners=["self"])["Images"], [])

    def test_answers_are_held_against_the_model(self):
        model = self.ec2.meta.service_model.operation_model("DescribeVpcs")
        body = b"<R><requestId/><vpcSet><item><vpcId>a</vpcId><vpcID/></item><thing/></vpcSet></R>"
        with self.assertRaisesRegex(AssertionError, r"\['/vpcSet/vpcID', '/vpcSet/thing'\]"):
            refuse_unknown(model, {"status_code": 200, "body": body})

    def test_refusals(self):
        for code, call, arguments in [
            ("InvalidInstanceType", self.ec2.describe_instance_types, {"InstanceTypes": ["zz9.large"]}),
            ("InvalidSubnetID.NotFound", self.ec2.describe_subnets, {"SubnetIds": ["subnet-00000000000000000"]}),
            ("InvalidGroup.NotFound", self.ec2.describe_security_groups, {"GroupIds": ["sg-00000000000000000"]}),
            ("InvalidAMIID.NotFound", self.ec2.describe_images, {"ImageIds": ["ami-00000000000000000"]}),
            ("InvalidAMIID.Malformed", self.ec2.describe_images, {"ImageIds": ["nonsense"]}),
            ("InvalidParameterValue", self.ec2.describe_subnets, {"Filters": [{"Name": "no-such", "Values": ["a"]}]}),
            ("DryRunOperation", self.ec2.describe_subnets, {"DryRun": True}),
            ("InvalidAction", self.ec2.describe_volumes, {}),
        ]:
            with self.subTest(code):
                self.assertEqual(error_code(call, **arguments), code)
