// Requests and answers of ec2.h on the wire. The element and parameter names are EC2's.
// SPDX-License-Identifier: Apache-2.0
#include "aws/ec2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/ec2_access.h"
#include "aws/testing/canned.h"

namespace tenon::aws {
namespace {

using testing::CannedClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

struct World : CannedClient {
  Ec2 ec2{client};
};

TEST(Ec2, DescribesInstanceTypesOverPages) {
  World world;
  world.transport.answer(200, R"(<DescribeInstanceTypesResponse><instanceTypeSet><item>
    <instanceType>g5.xlarge</instanceType><bareMetal>false</bareMetal><hypervisor>nitro</hypervisor>
    <supportedUsageClasses><item>on-demand</item><item>spot</item></supportedUsageClasses>
    <processorInfo><supportedArchitectures><item>x86_64</item></supportedArchitectures>
      <sustainedClockSpeedInGhz>3.3</sustainedClockSpeedInGhz><manufacturer>AMD</manufacturer></processorInfo>
    <vCpuInfo><defaultVCpus>4</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>16384</sizeInMiB></memoryInfo>
    <instanceStorageSupported>true</instanceStorageSupported><instanceStorageInfo><totalSizeInGB>250</totalSizeInGB>
      <nvmeSupport>required</nvmeSupport></instanceStorageInfo>
    <ebsInfo><ebsOptimizedSupport>default</ebsOptimizedSupport><ebsOptimizedInfo>
      <maximumBandwidthInMbps>3500</maximumBandwidthInMbps></ebsOptimizedInfo></ebsInfo>
    <networkInfo><maximumNetworkInterfaces>4</maximumNetworkInterfaces><maximumNetworkCards>1</maximumNetworkCards>
      <defaultNetworkCardIndex>0</defaultNetworkCardIndex><networkCards><item><networkCardIndex>0</networkCardIndex>
      <maximumNetworkInterfaces>3</maximumNetworkInterfaces></item></networkCards>
      <ipv4AddressesPerInterface>15</ipv4AddressesPerInterface>
      <encryptionInTransitSupported>true</encryptionInTransitSupported><efaSupported>true</efaSupported>
      <efaInfo><maximumEfaInterfaces>1</maximumEfaInterfaces></efaInfo></networkInfo>
    <placementGroupInfo><supportedStrategies><item>cluster</item><item>spread</item></supportedStrategies>
    </placementGroupInfo>
    <gpuInfo><gpus><item><name>A10G</name><manufacturer>NVIDIA</manufacturer><count>1</count>
      <memoryInfo><sizeInMiB>24576</sizeInMiB></memoryInfo></item></gpus></gpuInfo>
    </item></instanceTypeSet><nextToken>page+2</nextToken></DescribeInstanceTypesResponse>)");
  world.transport.answer(200, R"(<DescribeInstanceTypesResponse><instanceTypeSet><item>
    <instanceType>inf2.xlarge</instanceType><neuronInfo><neuronDevices><item><count>1</count><name>Inferentia2</name>
    <coreInfo><count>2</count><version>2</version></coreInfo></item></neuronDevices></neuronInfo>
    </item></instanceTypeSet></DescribeInstanceTypesResponse>)");
  const auto types = world.ec2.describe_instance_types({});
  ASSERT_TRUE(types) << types.error().message;
  ASSERT_EQ(types->size(), 2u);
  const InstanceTypeInfo& g5 = types->front();
  EXPECT_EQ(g5.name, "g5.xlarge");
  EXPECT_THAT(g5.usage_classes, ElementsAre("on-demand", "spot"));
  EXPECT_THAT(g5.architectures, ElementsAre("x86_64"));
  EXPECT_EQ(g5.clock_ghz, 3.3);
  EXPECT_EQ(g5.vcpus, 4);
  EXPECT_EQ(g5.memory_mib, 16384);
  EXPECT_TRUE(g5.instance_store_nvme);
  EXPECT_EQ(g5.instance_store_gb, 250);
  EXPECT_TRUE(g5.ebs_optimized_default);
  EXPECT_EQ(g5.ebs_max_mbps, 3500);
  EXPECT_EQ(g5.default_card_enis, 3);
  EXPECT_EQ(g5.max_enis, 4);
  EXPECT_EQ(g5.ipv4_per_eni, 15);
  EXPECT_TRUE(g5.encryption_in_transit);
  EXPECT_EQ(g5.efa_interfaces, 1);
  EXPECT_THAT(g5.placement_strategies, ElementsAre("cluster", "spread"));
  ASSERT_EQ(g5.gpus.size(), 1u);
  EXPECT_EQ(g5.gpus[0].memory_mib, 24576);
  ASSERT_EQ(types->at(1).neuron_devices.size(), 1u);
  EXPECT_EQ(types->at(1).neuron_devices[0].cores, 2);
  EXPECT_THAT(
      world.transport.form(0),
      ElementsAre("Action=DescribeInstanceTypes", "Version=2016-11-15", "Filter.1.Name=supported-virtualization-type",
                  "Filter.1.Value.1=hvm", "Filter.2.Name=processor-info.supported-architecture",
                  "Filter.2.Value.1=x86_64", "Filter.2.Value.2=arm64", "MaxResults=100"));
  EXPECT_TRUE(world.transport.form_has(1, "NextToken=page+2"));
}

TEST(Ec2, PagesThatNeverEndAreAnError) {
  World world;
  world.transport.fallback = [](const http::Request&) -> Result<http::Response> {
    return http::Response{200, {}, "<R><nextToken>again</nextToken></R>"};
  };
  const auto result = world.ec2.describe_subnets({}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInternal);
}

TEST(Ec2, DescribesSubnetsGroupsImagesAndZones) {
  World world;
  world.transport
      .answer(200, R"(<R><subnetSet><item><subnetId>subnet-1</subnetId><availabilityZone>us-east-1a</availabilityZone>
        <availabilityZoneId>use1-az1</availabilityZoneId><vpcId>vpc-1</vpcId>
        <availableIpAddressCount>250</availableIpAddressCount>
        <tagSet><item><key>Name</key><value>a</value></item><item><key>empty</key><value/></item></tagSet>
        </item></subnetSet></R>)")
      .answer(200,
              R"(<R><securityGroupInfo><item><groupId>sg-1</groupId><groupName>nodes</groupName></item>
        </securityGroupInfo></R>)")
      .answer(200, R"(<R><imagesSet><item><imageId>ami-1</imageId><name>n</name><architecture>arm64</architecture>
        <imageState>available</imageState><imageOwnerId>123</imageOwnerId>
        <creationDate>2026-08-01T00:00:00.000Z</creationDate>
        <deprecationTime>2028-08-01T00:00:00.000Z</deprecationTime></item>
        <item><imageId>ami-2</imageId></item></imagesSet></R>)")
      .answer(200, R"(<R><availabilityZoneInfo><item><zoneName>us-east-1a</zoneName><zoneId>use1-az1</zoneId>
        <zoneType>availability-zone</zoneType><zoneState>available</zoneState></item></availabilityZoneInfo></R>)");
  const auto subnets = world.ec2.describe_subnets({{"tag:team", {"a", "b"}}}, {});
  ASSERT_TRUE(subnets);
  EXPECT_EQ(subnets->at(0).zone_id, "use1-az1");
  EXPECT_EQ(subnets->at(0).free_ips, 250);
  EXPECT_THAT(subnets->at(0).tags, UnorderedElementsAre(std::pair("Name", "a"), std::pair("empty", "")));
  EXPECT_TRUE(world.transport.form_has(0, "Filter.1.Value.2=b"));
  EXPECT_TRUE(world.transport.form_has(0, "MaxResults=500"));
  EXPECT_EQ(world.ec2.describe_security_groups({}, {})->at(0).name, "nodes");
  const auto images = world.ec2.describe_images({{"image-id", {"ami-1"}}}, {"self", "amazon"}, {});
  ASSERT_TRUE(images);
  EXPECT_EQ(format_rfc3339(*images->at(0).deprecated_at), "2028-08-01T00:00:00Z");
  EXPECT_FALSE(images->at(1).deprecated_at);
  EXPECT_TRUE(world.transport.form_has(2, "Owner.2=amazon"));
  EXPECT_TRUE(world.transport.form_has(2, "IncludeDeprecated=true"));
  EXPECT_EQ(world.ec2.describe_availability_zones({})->at(0).id, "use1-az1");
}

TEST(Ec2, DescribesReservationsAndPlacementGroups) {
  World world;
  world.transport.answer(200, R"(<R><capacityReservationSet><item><capacityReservationId>cr-1</capacityReservationId>
    <ownerId>123456789012</ownerId><instanceType>p5.48xlarge</instanceType>
    <availabilityZone>us-east-1a</availabilityZone>
    <totalInstanceCount>4</totalInstanceCount><availableInstanceCount>3</availableInstanceCount><state>active</state>
    <endDate>2026-11-21T11:30:00.000Z</endDate><instanceMatchCriteria>targeted</instanceMatchCriteria>
    <reservationType>capacity-block</reservationType><interruptible>true</interruptible>
    <tagSet><item><key>team</key><value>a</value></item></tagSet></item></capacityReservationSet></R>)");
  const auto found = world.ec2.describe_capacity_reservations({}, {{"state", {"active"}}}, {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  const CapacityReservation& r = found->front();
  EXPECT_EQ(r.id + " " + r.owner + " " + r.instance_type + " " + r.zone, "cr-1 123456789012 p5.48xlarge us-east-1a");
  EXPECT_EQ(r.type + " " + r.state + " " + r.match_criteria, "capacity-block active targeted");
  EXPECT_EQ(r.total, 4);
  EXPECT_EQ(r.available, 3);
  EXPECT_TRUE(r.interruptible);
  EXPECT_EQ(format_rfc3339(*r.ends_at), "2026-11-21T11:30:00Z");
  EXPECT_TRUE(world.transport.form_has(0, "MaxResults=1000"));
  world.transport.answer(200, "<R><capacityReservationSet/></R>");
  ASSERT_TRUE(world.ec2.describe_capacity_reservations({"cr-1"}, {}, {}));
  EXPECT_THAT(world.transport.form(1), UnorderedElementsAre("Action=DescribeCapacityReservations", "Version=2016-11-15",
                                                            "CapacityReservationId.1=cr-1"));
  world.transport.answer(200, R"(<R><placementGroupSet><item><groupName>g</groupName><groupId>pg-1</groupId>
    <state>available</state><strategy>partition</strategy><partitionCount>7</partitionCount></item>
    </placementGroupSet></R>)");
  const auto groups = world.ec2.describe_placement_groups("", "g", {});
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->front().partitions, 7);
  EXPECT_THAT(world.transport.form(2),
              UnorderedElementsAre("Action=DescribePlacementGroups", "Version=2016-11-15", "GroupName.1=g",
                                   "Filter.1.Name=state", "Filter.1.Value.1=available"));
}

TEST(Ec2, SpotHistoryIsInOrderOfTime) {
  World world;
  world.transport.answer(200, R"(<R><spotPriceHistorySet>
    <item><instanceType>m5.large</instanceType><availabilityZone>us-east-1a</availabilityZone>
      <spotPrice>0.04</spotPrice>
      <timestamp>2026-09-01T11:00:00.000Z</timestamp></item>
    <item><instanceType>m5.large</instanceType><availabilityZone>us-east-1a</availabilityZone>
      <spotPrice>0.03</spotPrice>
      <timestamp>2026-09-01T10:00:00.000Z</timestamp></item></spotPriceHistorySet></R>)");
  const auto prices = world.ec2.describe_spot_price_history(world.runtime.now(), {});
  ASSERT_TRUE(prices);
  EXPECT_EQ(prices->back().usd, "0.04");
  EXPECT_TRUE(world.transport.form_has(0, "StartTime=2026-09-01T12:00:00Z"));
  EXPECT_TRUE(world.transport.form_has(0, "ProductDescription.2=Linux/UNIX (Amazon VPC)"));
  EXPECT_THAT(world.transport.requests[0].body, HasSubstr("Linux%2FUNIX+%28Amazon+VPC%29"));
}

LaunchTemplateInput some_template() {
  LaunchTemplateInput input;
  input.name = "karpenter.k8s.aws/1";
  input.client_token = "tok";
  input.image_id = "ami-1";
  input.instance_profile = "profile";
  input.user_data = "I2Nsb3Vk";
  EbsDevice disk;
  disk.device_name = "/dev/xvda";
  disk.volume_type = "gp3";
  disk.size_gib = 20;
  disk.encrypted = true;
  input.devices = {disk};
  input.security_group_ids = {"sg-1", "sg-2"};
  input.http_endpoint = "enabled";
  input.http_protocol_ipv6 = "disabled";
  input.http_tokens = "required";
  input.reservation_preference = "none";
  input.resource_tags = {{"network-interface", {{"k", "v"}}}};
  input.tags = {{"karpenter.sh/nodepool", ""}, {"team", "x"}};
  return input;
}

TEST(Ec2, CreatesALaunchTemplate) {
  World world;
  world.transport.answer(200, R"(<R><launchTemplate><launchTemplateId>lt-1</launchTemplateId>
    <launchTemplateName>karpenter.k8s.aws/1</launchTemplateName></launchTemplate></R>)");
  EXPECT_EQ(world.ec2.create_launch_template(some_template(), {})->id, "lt-1");
  const std::string d = "LaunchTemplateData.";
  EXPECT_THAT(
      world.transport.form(0),
      UnorderedElementsAre(
          "Action=CreateLaunchTemplate", "Version=2016-11-15", "LaunchTemplateName=karpenter.k8s.aws/1",
          "ClientToken=tok", d + "ImageId=ami-1", d + "IamInstanceProfile.Name=profile", d + "UserData=I2Nsb3Vk",
          d + "Monitoring.Enabled=false", d + "EnclaveOptions.Enabled=false", d + "Placement.Tenancy=default",
          d + "CapacityReservationSpecification.CapacityReservationPreference=none",
          d + "BlockDeviceMapping.1.DeviceName=/dev/xvda", d + "BlockDeviceMapping.1.Ebs.VolumeType=gp3",
          d + "BlockDeviceMapping.1.Ebs.VolumeSize=20", d + "BlockDeviceMapping.1.Ebs.Encrypted=true",
          d + "MetadataOptions.HttpEndpoint=enabled", d + "MetadataOptions.HttpProtocolIpv6=disabled",
          d + "MetadataOptions.HttpPutResponseHopLimit=1", d + "MetadataOptions.HttpTokens=required",
          d + "MetadataOptions.InstanceMetadataTags=disabled", d + "NetworkInterface.1.DeviceIndex=0",
          d + "NetworkInterface.1.SecurityGroupId.1=sg-1", d + "NetworkInterface.1.SecurityGroupId.2=sg-2",
          d + "TagSpecification.1.ResourceType=network-interface", d + "TagSpecification.1.Tag.1.Key=k",
          d + "TagSpecification.1.Tag.1.Value=v", "TagSpecification.1.ResourceType=launch-template",
          "TagSpecification.1.Tag.1.Key=karpenter.sh/nodepool",
          "TagSpecification.1.Tag.1.Value=", "TagSpecification.1.Tag.2.Key=team", "TagSpecification.1.Tag.2.Value=x"));
}

TEST(Ec2, AccessIsTriedWithoutAskingForAnything) {
  World world;
  world.transport.answer(412, "<Response><Errors><Error><Code>DryRunOperation</Code></Error></Errors></Response>");
  world.transport.answer(403,
                         "<Response><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></Response>");
  EXPECT_TRUE(check_ec2_access(world.client, {}));
  EXPECT_TRUE(world.transport.form_has(0, "Action=DescribeInstanceTypes"));
  EXPECT_TRUE(world.transport.form_has(0, "DryRun=true"));
  EXPECT_EQ(check_ec2_access(world.client, {}).error().code, Code::kForbidden);
}

TEST(Ec2, InterfacesSayWhatTheyAre) {
  World world;
  LaunchTemplateInput input = some_template();
  input.security_group_ids = {"sg-1"};
  input.interfaces = {{0, 0, "interface"}, {1, 1, "efa-only"}};
  input.associate_public_ip = false;
  input.ip_prefixes = 2;
  input.connection_tracking = ConnectionTracking{.tcp_established = 350, .udp_stream = {}, .udp = 30};
  input.nested_virtualization = "enabled";
  input.tenancy = "dedicated";
  world.transport.answer(200, "<R/>").answer(200, "<R/>");
  ASSERT_TRUE(world.ec2.create_launch_template(input, {}));
  const auto lines = [&](size_t request, const std::string& prefix) {
    std::vector<std::string> found;
    for (const std::string& line : world.transport.form(request)) {
      if (line.starts_with("LaunchTemplateData." + prefix)) found.push_back(line.substr(19));
    }
    return found;
  };
  const std::string one = "NetworkInterface.1.", two = "NetworkInterface.2.";
  const std::string tracking = one + "ConnectionTrackingSpecification.";
  EXPECT_THAT(lines(0, one), UnorderedElementsAre(one + "NetworkCardIndex=0", one + "InterfaceType=interface",
                                                  one + "DeviceIndex=0", one + "SecurityGroupId.1=sg-1",
                                                  one + "AssociatePublicIpAddress=false", one + "Ipv4PrefixCount=2",
                                                  tracking + "TcpEstablishedTimeout=350", tracking + "UdpTimeout=30"));
  EXPECT_THAT(lines(0, two), UnorderedElementsAre(two + "NetworkCardIndex=1", two + "InterfaceType=efa-only",
                                                  two + "DeviceIndex=1", two + "SecurityGroupId.1=sg-1"));
  EXPECT_THAT(lines(0, "CpuOptions"), UnorderedElementsAre("CpuOptions.NestedVirtualization=enabled"));
  EXPECT_THAT(lines(0, "Placement"), UnorderedElementsAre("Placement.Tenancy=dedicated"));
  input.interfaces = {{}};
  input.ipv6 = true;
  input.connection_tracking.reset();
  ASSERT_TRUE(world.ec2.create_launch_template(input, {}));
  EXPECT_THAT(lines(1, one), UnorderedElementsAre(one + "DeviceIndex=0", one + "SecurityGroupId.1=sg-1",
                                                  one + "AssociatePublicIpAddress=false", one + "Ipv6PrefixCount=2",
                                                  one + "PrimaryIpv6=true", one + "Ipv6AddressCount=1"));
}

TEST(Ec2, ReservedLaunchesSayWhereTo) {
  World world;
  LaunchTemplateInput input = some_template();
  input.reservation_preference = "capacity-reservations-only";
  input.reservation_id = "cr-1";
  input.market_type = "capacity-block";
  input.placement_group_id = "pg-1";
  input.partition = 2;
  world.transport.answer(200, "<R/>");
  ASSERT_TRUE(world.ec2.create_launch_template(input, {}));
  const std::string d = "LaunchTemplateData.";
  for (const std::string& wanted :
       {d + "CapacityReservationSpecification.CapacityReservationPreference=capacity-reservations-only",
        d + "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId=cr-1",
        d + "InstanceMarketOptions.MarketType=capacity-block", d + "Placement.GroupId=pg-1",
        d + "Placement.PartitionNumber=2"}) {
    EXPECT_TRUE(world.transport.form_has(0, wanted)) << wanted;
  }
  FleetInput fleet;
  fleet.target_type = "reserved-capacity";
  world.transport.answer(200, "<R/>");
  ASSERT_TRUE(world.ec2.create_fleet(fleet, {}));
  EXPECT_TRUE(world.transport.form_has(1, "TargetCapacitySpecification.DefaultTargetCapacityType=reserved-capacity"));
  EXPECT_TRUE(
      world.transport.form_has(1, "ReservedCapacityOptions.ReservationType.1=interruptible-capacity-reservation"));
}

TEST(Ec2, FindsALaunchTemplateOrSaysThatThereIsNone) {
  World world;
  world.transport.answer(400,
                         "<Response><Errors><Error><Code>InvalidLaunchTemplateName.NotFoundException</Code>"
                         "<Message>m</Message></Error></Errors></Response>");
  EXPECT_EQ(world.ec2.find_launch_template("x", {}).error().code, Code::kNotFound);
  world.transport.answer(200, "<R><launchTemplates/></R>");
  EXPECT_EQ(world.ec2.find_launch_template("x", {}).error().code, Code::kNotFound);
  world.transport.answer(
      200, "<R><launchTemplates><item><launchTemplateId>lt-9</launchTemplateId></item></launchTemplates></R>");
  EXPECT_EQ(world.ec2.find_launch_template("x", {})->id, "lt-9");
  EXPECT_TRUE(world.transport.form_has(2, "LaunchTemplateName.1=x"));
}

FleetInput some_fleet() {
  FleetInput input;
  input.client_token = "claim-1";
  input.spot = true;
  input.allocation_strategy = "price-capacity-optimized";
  input.configs = {{"karpenter.k8s.aws/1", {{"m5.large", "subnet-1", "us-east-1a", "ami-1", "0.096"}}}};
  input.tags = {{"instance", {{"a", "b"}}}};
  return input;
}

TEST(Ec2, CreatesAFleetAndReadsInstancesAndErrors) {
  World world;
  world.transport.answer(200, R"(<CreateFleetResponse><fleetId>fleet-1</fleetId>
    <errorSet><item><errorCode>InsufficientInstanceCapacity</errorCode><errorMessage>none left</errorMessage>
      <lifecycle>spot</lifecycle><launchTemplateAndOverrides><overrides><instanceType>m5.large</instanceType>
      <subnetId>subnet-1</subnetId><availabilityZone>us-east-1a</availabilityZone>
      </overrides></launchTemplateAndOverrides>
    </item></errorSet>
    <fleetInstanceSet><item><launchTemplateAndOverrides><overrides><instanceType>m5.xlarge</instanceType>
      <subnetId>subnet-2</subnetId><availabilityZone>us-east-1b</availabilityZone><imageId>ami-1</imageId>
      <priority>0.192</priority></overrides></launchTemplateAndOverrides><lifecycle>spot</lifecycle>
      <instanceIds><item>i-1</item></instanceIds><instanceType>m5.xlarge</instanceType></item></fleetInstanceSet>
    </CreateFleetResponse>)");
  const auto fleet = world.ec2.create_fleet(some_fleet(), {});
  ASSERT_TRUE(fleet) << fleet.error().message;
  ASSERT_EQ(fleet->instances.size(), 1u);
  EXPECT_THAT(fleet->instances[0].ids, ElementsAre("i-1"));
  EXPECT_EQ(fleet->instances[0].lifecycle, "spot");
  EXPECT_EQ(fleet->instances[0].overrides.zone, "us-east-1b");
  ASSERT_EQ(fleet->errors.size(), 1u);
  EXPECT_EQ(fleet->errors[0].code, "InsufficientInstanceCapacity");
  EXPECT_EQ(fleet->errors[0].overrides.instance_type, "m5.large");
  const std::string c = "LaunchTemplateConfigs.1.";
  EXPECT_THAT(world.transport.form(0),
              UnorderedElementsAre("Action=CreateFleet", "Version=2016-11-15", "Type=instant", "ClientToken=claim-1",
                                   "TargetCapacitySpecification.TotalTargetCapacity=1",
                                   "TargetCapacitySpecification.DefaultTargetCapacityType=spot",
                                   "SpotOptions.AllocationStrategy=price-capacity-optimized",
                                   c + "LaunchTemplateSpecification.LaunchTemplateName=karpenter.k8s.aws/1",
                                   c + "LaunchTemplateSpecification.Version=$Latest",
                                   c + "Overrides.1.InstanceType=m5.large", c + "Overrides.1.SubnetId=subnet-1",
                                   c + "Overrides.1.AvailabilityZone=us-east-1a", c + "Overrides.1.ImageId=ami-1",
                                   c + "Overrides.1.Priority=0.096", "TagSpecification.1.ResourceType=instance",
                                   "TagSpecification.1.Tag.1.Key=a", "TagSpecification.1.Tag.1.Value=b"));
}

TEST(Ec2, DryRunsSucceedByTheirErrorCode) {
  const auto refusal = [](const std::string& code) {
    return "<Response><Errors><Error><Code>" + code + "</Code><Message>m</Message></Error></Errors></Response>";
  };
  World world;
  FleetInput input = some_fleet();
  input.dry_run = true;
  world.transport.answer(412, refusal("DryRunOperation")).answer(403, refusal("UnauthorizedOperation"));
  EXPECT_TRUE(world.ec2.create_fleet(input, {}));
  EXPECT_EQ(world.ec2.create_fleet(input, {}).error().code, Code::kForbidden);
  EXPECT_TRUE(world.transport.form_has(0, "DryRun=true"));
  world.transport.answer(412, refusal("DryRunOperation")).answer(503, refusal("RequestLimitExceeded"));
  EXPECT_TRUE(world.ec2.dry_run_instances({"lt", "m5.large", "subnet-1", {}}, {}));
  EXPECT_EQ(world.ec2.dry_run_instances({"lt", "m5.large", "subnet-1", {}}, {}).error().code, Code::kThrottled);
  EXPECT_EQ(world.transport.requests.size(), 4u);  // dry runs are not repeated
}

TEST(Ec2, DescribesTerminatesAndTagsInstances) {
  World world;
  world.transport
      .answer(200,
              R"(<R><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId>
        <instanceType>m5.large</instanceType>
        <imageId>ami-1</imageId><instanceState><code>16</code><name>running</name></instanceState>
        <placement><availabilityZone>us-east-1a</availabilityZone></placement><subnetId>subnet-1</subnetId>
        <privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName><launchTime>2026-09-01T11:59:00.000Z</launchTime>
        <spotInstanceRequestId>sir-1</spotInstanceRequestId><groupSet><item><groupId>sg-1</groupId></item></groupSet>
        <tagSet><item><key>karpenter.sh/nodepool</key><value>default</value></item></tagSet></item>
        </instancesSet></item>
        <item><instancesSet><item><instanceId>i-2</instanceId></item></instancesSet></item></reservationSet></R>)")
      .answer(
          200,
          R"(<R><instancesSet><item><instanceId>i-1</instanceId><currentState><name>shutting-down</name></currentState>
        <previousState><name>running</name></previousState></item></instancesSet></R>)")
      .answer(200, "<R/>");
  const auto instances = world.ec2.describe_instances({"i-1"}, {{"instance-state-name", {"running"}}}, {});
  ASSERT_TRUE(instances);
  ASSERT_EQ(instances->size(), 2u);
  EXPECT_EQ(instances->at(0).state, "running");
  EXPECT_TRUE(instances->at(0).spot);
  EXPECT_FALSE(instances->at(1).spot);
  EXPECT_THAT(instances->at(0).security_group_ids, ElementsAre("sg-1"));
  EXPECT_EQ(format_rfc3339(instances->at(0).launched_at), "2026-09-01T11:59:00Z");
  EXPECT_TRUE(world.transport.form_has(0, "InstanceId.1=i-1"));
  EXPECT_THAT(world.transport.requests[0].body, ::testing::Not(HasSubstr("MaxResults")));
  EXPECT_EQ(world.ec2.terminate_instances({"i-1"}, {})->at(0).current, "shutting-down");
  EXPECT_TRUE(world.ec2.create_tags({"i-1"}, {{"Name", "n"}}, {}));
  EXPECT_TRUE(world.transport.form_has(2, "Tag.1.Value=n"));
  EXPECT_TRUE(world.transport.form_has(2, "ResourceId.1=i-1"));
  world.transport.answer(200, "<R/>");
  EXPECT_TRUE(world.ec2.delete_tags({"i-1"}, {"Name"}, {}));
  EXPECT_TRUE(world.transport.form_has(3, "Action=DeleteTags"));
  EXPECT_TRUE(world.transport.form_has(3, "Tag.1.Key=Name"));
}

}  // namespace
}  // namespace tenon::aws
