// The small parts of the provider: unavailable offerings, subnets, prices, tags, hashes, drift, facts.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "aws/testing/canned.h"
#include "cloud/aws_provider/interruption/lost_instances.h"
#include "cloud/aws_provider/interruption/sick_instances.h"
#include "cloud/aws_provider/launch/launch_templates.h"
#include "cloud/aws_provider/node_class/drift.h"
#include "cloud/aws_provider/node_class/node_class_hash.h"
#include "cloud/aws_provider/node_class/node_class_status.h"
#include "cloud/aws_provider/resources/cluster.h"
#include "cloud/aws_provider/resources/instance_profiles.h"
#include "cloud/aws_provider/resources/placement_groups.h"
#include "cloud/aws_provider/resources/security_groups.h"
#include "cloud/aws_provider/resources/subnets.h"
#include "cloud/aws_provider/types/instance_types.h"
#include "cloud/aws_provider/types/unavailable_offerings.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(UnavailableOfferings, AreForgottenAfterThreeMinutes) {
  UnavailableOfferings memory;
  const Instant now = *parse_rfc3339("2026-09-01T12:00:00Z");
  const OfferingKey m5{"m5.large", "a", "spot"};
  const uint64_t before = memory.version(now);
  memory.mark(m5, now);
  const uint64_t marked = memory.version(now);
  EXPECT_NE(marked, before);
  EXPECT_TRUE(memory.unavailable(m5, now + 2min));
  EXPECT_FALSE(memory.unavailable({"m5.large", "b", "spot"}, now));
  EXPECT_FALSE(memory.unavailable({"m5.large", "a", "on-demand"}, now));
  EXPECT_EQ(memory.version(now + 2min), marked);
  EXPECT_FALSE(memory.unavailable(m5, now + kUnavailableFor));
  EXPECT_NE(memory.version(now + kUnavailableFor), marked);
}

TEST(UnavailableOfferings, WhatIsTakenBackTwiceIsLeftOutForLonger) {
  UnavailableOfferings memory;
  const Instant now{};
  const OfferingKey m5{"m5.large", "a", "spot"};
  memory.mark_interrupted(m5, "i-1", now);
  EXPECT_TRUE(memory.unavailable(m5, now + kUnavailableFor - 1s));
  EXPECT_FALSE(memory.unavailable(m5, now + kUnavailableFor)) << "one instance is chance";
  memory.mark_interrupted(m5, "i-1", now + 1min);
  EXPECT_FALSE(memory.unavailable(m5, now + kUnavailableFor)) << "the same instance says nothing new";
  memory.mark_interrupted(m5, "i-2", now + 2min);
  EXPECT_TRUE(memory.unavailable(m5, now + 2min + kEmptiedFor - 1s)) << "the pool is being emptied";
  memory.mark(m5, now + 3min);
  EXPECT_TRUE(memory.unavailable(m5, now + 2min + kEmptiedFor - 1s)) << "a shorter mark does not end it";
  EXPECT_FALSE(memory.unavailable(m5, now + 2min + kEmptiedFor));
  EXPECT_FALSE(memory.unavailable({"m5.large", "b", "spot"}, now + 3min)) << "other zones are other pools";
  // Much later, one interruption counts as chance again.
  const Instant later = now + 2min + kEmptiedFor + kInterruptionWindow;
  memory.mark_interrupted(m5, "i-3", later);
  EXPECT_FALSE(memory.unavailable(m5, later + kUnavailableFor));
}

// parity: provider-aws pkg/cache/unavailableofferings.go: with a placement group its own entries count, and those of
// the zone.
TEST(UnavailableOfferings, AreOfAZoneAPlacementGroupOrAPartition) {
  const Instant now{};
  const OfferingKey zone{"m5.large", "a", "spot"}, group{"m5.large", "a", "spot", "pg-1"},
      first{"m5.large", "a", "spot", "pg-1", 1}, second{"m5.large", "a", "spot", "pg-1", 2},
      other_group{"m5.large", "a", "spot", "pg-2"};
  const auto after = [&](const OfferingKey& marked, const OfferingKey& asked) {
    UnavailableOfferings memory;
    memory.mark(marked, now);
    return memory.unavailable(asked, now);
  };
  EXPECT_TRUE(after(first, first));
  for (const OfferingKey& around : {second, group, zone}) EXPECT_FALSE(after(first, around));
  EXPECT_TRUE(after(group, first)) << "all of the group";
  EXPECT_FALSE(after(group, zone)) << "the group alone";
  EXPECT_FALSE(after(group, other_group));
  for (const OfferingKey& within : {first, group, other_group}) EXPECT_TRUE(after(zone, within));
}

TEST(UnavailableOfferings, AWholeCapacityTypeOrSubnet) {
  UnavailableOfferings memory;
  const Instant now{};
  memory.mark_capacity_type("spot", now);
  memory.mark_subnet("subnet-1", now);
  EXPECT_TRUE(memory.unavailable({"any.large", "b", "spot"}, now));
  EXPECT_FALSE(memory.unavailable({"any.large", "b", "on-demand"}, now));
  EXPECT_TRUE(memory.subnet_unavailable("subnet-1", now));
  EXPECT_FALSE(memory.subnet_unavailable("subnet-1", now + kUnavailableFor));
}

struct Wire : aws::testing::CannedClient {
  aws::Ec2 ec2{client};
};

std::string subnet_xml(const std::string& id, const std::string& zone, int free) {
  return "<item><subnetId>" + id + "</subnetId><availabilityZone>" + zone +
         "</availabilityZone><availableIpAddressCount>" + std::to_string(free) + "</availableIpAddressCount></item>";
}

TEST(Subnets, CountAddressesInFlight) {
  Wire wire;
  Subnets subnets(wire.ec2, wire.runtime);
  wire.transport.answer(200, "<R><subnetSet>" + subnet_xml("s-a1", "a", 100) + subnet_xml("s-a2", "a", 90) +
                                 subnet_xml("s-b", "b", 10) + "</subnetSet></R>");
  model::NodeClass node_class;
  node_class.subnet_selector_terms = {{.tags = {{"team", "x"}}}};
  const auto resolved = subnets.resolve(node_class, {});
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->front().id, "s-a1");
  const std::map<std::string, int64_t> ips = {{"a", 29}, {"b", 29}};
  EXPECT_THAT(subnets.choose(*resolved, ips), ElementsAre(Pair("a", "s-a1"), Pair("b", "s-b")));
  const auto second = subnets.choose(*resolved, ips);  // 71 left in the first
  EXPECT_EQ(second.at("a"), "s-a2");
  subnets.give_back(second, ips, "b");
  EXPECT_EQ(subnets.free_ips("s-a2"), 90);
  EXPECT_EQ(subnets.free_ips("s-b"), 10 - 58);
  subnets.mark_full("s-a2");
  EXPECT_EQ(subnets.choose(*resolved, {}).at("a"), "s-a1");
}

TEST(Subnets, OneQueryPerTagTermAndOneForIds) {
  Wire wire;
  Subnets subnets(wire.ec2, wire.runtime);
  wire.transport.answer(200, "<R><subnetSet>" + subnet_xml("s-1", "a", 5) + "</subnetSet></R>");
  wire.transport.answer(200, "<R><subnetSet>" + subnet_xml("s-2", "b", 7) + "</subnetSet></R>");
  model::NodeClass node_class;
  node_class.subnet_selector_terms = {{.id = "s-2"}, {.tags = {{"team", "*"}}}, {.id = "s-3"}};
  EXPECT_EQ(subnets.resolve(node_class, {})->size(), 2u);
  EXPECT_TRUE(wire.transport.form_has(0, "Filter.1.Name=tag-key"));
  EXPECT_TRUE(wire.transport.form_has(1, "Filter.1.Value.2=s-3"));
  EXPECT_EQ(subnets.resolve(node_class, {})->size(), 2u);  // cached
  EXPECT_EQ(wire.transport.requests.size(), 2u);
  wire.runtime.advance(kSubnetTtl);
  EXPECT_FALSE(subnets.resolve(node_class, {}));
}

TEST(Offerings, CombineZonesPricesAndAvailability) {
  Market::Entry entry;
  entry.facts.name = "m5.large";
  entry.zones = {"us-east-1a", "us-east-1b", "us-east-1c"};
  entry.on_demand = entry.spot = true;
  PriceBook book;
  book.on_demand["m5.large"] = *model::parse_price("0.096");
  book.spot[{"m5.large", "us-east-1a"}] = *model::parse_price("0.03");
  book.spot_known = true;
  UnavailableOfferings memory;
  const Instant now{};
  memory.mark({"m5.large", "us-east-1b", "on-demand"}, now);
  const auto offerings = offerings_of(
      entry, {{"s-1", "us-east-1a", "use1-az1"}, {"s-2", "us-east-1b", "use1-az2"}, {"s-3", "us-east-1z", ""}},
      {book, memory, now});
  ASSERT_EQ(offerings.size(), 3u);  // no subnet in c, no type in z, no spot price in b
  EXPECT_EQ(offerings[0].zone_id, "use1-az1");
  EXPECT_TRUE(offerings[0].available);
  EXPECT_EQ(offerings[1].capacity_type, "spot");
  EXPECT_EQ(offerings[1].price, *model::parse_price("0.03"));
  EXPECT_FALSE(offerings[2].available);
  memory.mark_subnet("s-1", now);
  EXPECT_FALSE(offerings_of(entry, {{"s-1", "us-east-1a", ""}}, {book, memory, now})[0].available);
  EXPECT_TRUE(
      offerings_of(entry, {{"s-1", "us-east-1a", ""}, {"s-9", "us-east-1a", ""}}, {book, memory, now})[0].available);
}

TEST(Offerings, AreThereWhileAPartitionIsOpen) {
  Market::Entry entry;
  entry.facts.name = "m5.large";
  entry.zones = {"us-east-1a", "us-east-1b"};
  entry.on_demand = true;
  const PriceBook book;
  UnavailableOfferings memory;
  OfferingContext context{book, memory, {}, "pg-1", 2};
  const std::vector<model::ResolvedSubnet> subnets = {{"s-1", "us-east-1a", ""}, {"s-2", "us-east-1b", ""}};
  memory.mark({"m5.large", "us-east-1a", "on-demand", "pg-1", 1}, {});
  EXPECT_TRUE(offerings_of(entry, subnets, context)[0].available);
  EXPECT_THAT(open_partitions({"m5.large", "us-east-1a", "on-demand", "pg-1"}, context), ElementsAre(2));
  EXPECT_THAT(open_partitions({"m5.large", "us-east-1b", "on-demand", "pg-1"}, context), ElementsAre(1, 2));
  memory.mark({"m5.large", "us-east-1a", "on-demand", "pg-1", 2}, {});
  EXPECT_FALSE(offerings_of(entry, subnets, context)[0].available) << "no partition is left";
  EXPECT_TRUE(offerings_of(entry, subnets, context)[1].available) << "the other zone";
  context.placement_group.clear();
  context.partitions = 0;
  EXPECT_TRUE(offerings_of(entry, subnets, context)[0].available) << "outside of the group";
}

TEST(Offerings, WithoutAPriceAreListedForOverlaysOnly) {
  Market::Entry entry;
  entry.facts.name = "m9.large";
  entry.zones = {"us-east-1a"};
  entry.on_demand = true;
  const PriceBook book;
  UnavailableOfferings memory;
  OfferingContext context{book, memory, {}};
  const std::vector<model::ResolvedSubnet> subnets = {{"s-1", "us-east-1a", ""}};
  EXPECT_TRUE(offerings_of(entry, subnets, context).empty());
  context.node_overlays = true;
  auto offerings = offerings_of(entry, subnets, context);
  ASSERT_EQ(offerings.size(), 1u);
  EXPECT_FALSE(offerings[0].available);
  EXPECT_TRUE(offerings[0].only_lacks_price);
  memory.mark({"m9.large", "us-east-1a", "on-demand"}, {});
  offerings = offerings_of(entry, subnets, context);
  EXPECT_FALSE(offerings[0].only_lacks_price) << "EC2 is short of it, too";
}

TEST(Facts, OfWhatEc2AnswersAgreeWithTheCatalog) {
  aws::InstanceTypeInfo info;
  info.name = "g4dn.xlarge";
  info.architectures = {"i386", "x86_64"};
  info.usage_classes = {"on-demand", "spot"};
  info.cpu_manufacturer = "Intel";
  info.clock_ghz = 2.5;
  info.instance_store_gb = 125;
  info.vcpus = 4;
  info.gpus = {{"T4", "NVIDIA", 1, 16384}};
  const auto facts = to_facts(info);
  EXPECT_EQ(facts.arch, "amd64");
  EXPECT_EQ(facts.cpu_manufacturer, "intel");
  EXPECT_EQ(facts.clock_mhz, 2500);
  EXPECT_EQ(facts.local_disk_gb, 125);
  EXPECT_EQ(facts.local_nvme_gb, 0) << "nobody said that they are NVMe";
  EXPECT_EQ(facts.family, "g4dn");
  ASSERT_EQ(facts.gpus.size(), 1u);
  EXPECT_EQ(facts.gpus.front().name, "t4");
  EXPECT_EQ(facts.gpus.front().manufacturer, "nvidia");
  const auto* known = catalog::find_instance_type("g4dn.xlarge");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(facts.network_mbps, known->network_mbps);
  EXPECT_EQ(facts.branch_enis, known->branch_enis);
  info.neuron_devices = {{"Inferentia2", "", 2, 2}};
  const auto neuron = to_facts(info);
  ASSERT_TRUE(neuron.accelerator);
  EXPECT_EQ(neuron.accelerator->manufacturer, "aws");
  EXPECT_EQ(neuron.accelerator->cores, 4);
}

TEST(Tags, OursWin) {
  model::NodeClass node_class;
  node_class.meta.name = "default";
  node_class.tags = {{"team", "x"}, {"karpenter.sh/nodepool", "mine"}};
  EXPECT_THAT(instance_tags(node_class, "demo", "pool"),
              ElementsAre(Pair("eks:eks-cluster-name", "demo"), Pair("karpenter.k8s.aws/ec2nodeclass", "default"),
                          Pair("karpenter.sh/nodepool", "pool"), Pair("kubernetes.io/cluster/demo", "owned"),
                          Pair("team", "x")));
  EXPECT_THAT(restricted_tags(node_class.tags), ElementsAre("karpenter.sh/nodepool"));
  EXPECT_THAT(restricted_tags({{"Name", "a"}, {"kubernetes.io/cluster/x", ""}}),
              ElementsAre("kubernetes.io/cluster/x"));
}

TEST(ProviderId, IsParsedStrictly) {
  EXPECT_EQ(parse_provider_id("aws:///us-east-1a/i-1")->zone, "us-east-1a");
  EXPECT_EQ(parse_provider_id("aws:///us-east-1a/i-1")->instance_id, "i-1");
  for (const char* bad : {"", "kwok://x", "aws:///i-1", "aws:///a/b", "aws:///a/i-1/x", "aws:////i-1"}) {
    EXPECT_FALSE(parse_provider_id(bad)) << bad;
  }
}

// Each row: a change to a node class, and whether its instances drift by it. The number itself is checked, too: another
// algorithm needs another version.
TEST(NodeClassHash, CoversWhatLaunchesDependOn) {
  model::NodeClass base;
  base.ami_selector_terms = {{.alias = "al2023@latest"}};
  const std::string hash = node_class_hash(base, "ca");
  EXPECT_EQ(hash, node_class_hash(base, "ca"));
  EXPECT_EQ(std::string(kNodeClassHashVersion) + " " + hash, "tenon3 6133851731033716083");
  using Change = std::function<void(model::NodeClass&)>;
  using Class = model::NodeClass;
  const std::vector<std::pair<const char*, Change>> drifting = {
      {"userData", [](Class& c) { c.user_data = "x"; }},
      {"role", [](Class& c) { c.role = "r"; }},
      {"instanceProfile", [](Class& c) { c.instance_profile = "r"; }},
      {"context", [](Class& c) { c.context = "r"; }},
      {"instanceStorePolicy", [](Class& c) { c.instance_store_policy = "RAID0"; }},
      {"associatePublicIPAddress", [](Class& c) { c.associate_public_ip = true; }},
      {"tags", [](Class& c) { c.tags = {{"a", "b"}}; }},
      {"blockDeviceMappings", [](Class& c) { c.block_devices.push_back({.device_name = "/dev/xvda"}); }},
      {"detailedMonitoring", [](Class& c) { c.detailed_monitoring = false; }},
      {"metadataOptions", [](Class& c) { c.metadata_options = model::MetadataOptions{.http_tokens = "optional"}; }},
      {"the family", [](Class& c) { c.ami_selector_terms[0].alias = "bottlerocket@latest"; }},
      {"amiFamily", [](Class& c) { c.ami_family = "Custom"; }},
      {"networkInterfaces", [](Class& c) { c.network_interfaces = {{0, 0, false}}; }},
      {"networkInterfaces, others", [](Class& c) { c.network_interfaces = {{0, 0, false}, {1, 1, true}}; }},
      {"connectionTracking", [](Class& c) { c.connection_tracking.emplace().udp = 30; }},
      {"connectionTracking, another", [](Class& c) { c.connection_tracking.emplace().udp_stream = 60; }},
      {"placementGroupSelector", [](Class& c) { c.placement_group.name = "g"; }},
      {"placementGroupSelector, by id", [](Class& c) { c.placement_group.id = "g"; }},
      {"cpuOptions", [](Class& c) { c.nested_virtualization = "enabled"; }},
      {"kubelet.maxPods", [](Class& c) { c.kubelet.max_pods = 0; }},
      {"kubelet.podsPerCore", [](Class& c) { c.kubelet.pods_per_core = 0; }},
      {"kubelet.clusterDNS", [](Class& c) { c.kubelet.cluster_dns = {"10.0.0.10"}; }},
      {"kubelet.kubeReserved", [](Class& c) { c.kubelet.kube_reserved = {{"cpu", "1"}}; }},
      {"kubelet.systemReserved", [](Class& c) { c.kubelet.system_reserved = {{"cpu", "1"}}; }},
      {"kubelet.evictionHard", [](Class& c) { c.kubelet.eviction_hard = {{"pid.available", "1%"}}; }},
      {"kubelet.evictionSoft", [](Class& c) { c.kubelet.eviction_soft = {{"pid.available", "1%"}}; }},
      {"kubelet.evictionSoftGracePeriod", [](Class& c) { c.kubelet.eviction_soft_grace_period = {{"a", "1m"}}; }},
      {"kubelet.evictionMaxPodGracePeriod", [](Class& c) { c.kubelet.eviction_max_pod_grace_period = 1; }},
      {"kubelet.imageGCHighThresholdPercent", [](Class& c) { c.kubelet.image_gc_high_threshold_percent = 1; }},
      {"kubelet.imageGCLowThresholdPercent", [](Class& c) { c.kubelet.image_gc_low_threshold_percent = 1; }},
      {"kubelet.cpuCFSQuota", [](Class& c) { c.kubelet.cpu_cfs_quota = true; }},
  };
  const std::vector<std::pair<const char*, Change>> same = {
      {"subnetSelectorTerms", [](Class& c) { c.subnet_selector_terms = {{.id = "subnet-1"}}; }},
      {"securityGroupSelectorTerms", [](Class& c) { c.security_group_selector_terms = {{.id = "sg-1"}}; }},
      {"amiSelectorTerms", [](Class& c) { c.ami_selector_terms[0].alias = "al2023@v1"; }},
      {"the family spelt out", [](Class& c) { c.ami_family = "AL2023"; }},
      {"the metadata options' defaults", [](Class& c) { c.metadata_options = model::MetadataOptions{}; }},
      {"ipPrefixCount", [](Class& c) { c.ip_prefix_count = 3; }},
      {"status", [](Class& c) { c.amis = {{"ami-1", "", false, {}}}; }},
      {"labels", [](Class& c) { c.meta.labels = {{"a", "b"}}; }},
  };
  std::set<std::string> seen = {hash, node_class_hash(base, "other ca")};
  for (const auto& [name, change] : drifting) {
    model::NodeClass changed = base;
    change(changed);
    EXPECT_TRUE(seen.insert(node_class_hash(changed, "ca")).second) << name;
  }
  for (const auto& [name, change] : same) {
    model::NodeClass changed = base;
    change(changed);
    EXPECT_EQ(node_class_hash(changed, "ca"), hash) << name;
  }
}

TEST(Drift, Static) {
  model::NodeClaim claim;
  EXPECT_EQ(static_drift(claim, "1", "v"), "");
  claim.meta.annotations = {{std::string(model::kAnnotationNodeClassHash), "2"},
                            {std::string(model::kAnnotationNodeClassHashVersion), "v"}};
  EXPECT_EQ(static_drift(claim, "1", "v"), "NodeClassDrift");
  EXPECT_EQ(static_drift(claim, "2", "v"), "");
  EXPECT_EQ(static_drift(claim, "1", "other"), "");
}

TEST(Drift, OfTheInstanceInKarpentersOrder) {
  model::NodeClass node_class;
  node_class.amis = {{"ami-2", "", false, {}}};
  node_class.security_groups = {{"sg-1", ""}, {"sg-2", ""}};
  node_class.subnets = {{"subnet-1", "a", ""}};
  model::InstanceType type;
  aws::InstanceInfo instance;
  instance.image_id = "ami-1";
  EXPECT_EQ(instance_drift(instance, &type, node_class), "AMIDrift");
  EXPECT_EQ(instance_drift(instance, nullptr, node_class), "SecurityGroupDrift");
  instance.image_id = "ami-2";
  instance.security_group_ids = {"sg-2"};
  EXPECT_EQ(instance_drift(instance, &type, node_class), "SecurityGroupDrift");
  instance.security_group_ids = {"sg-2", "sg-1"};
  instance.subnet_id = "subnet-9";
  EXPECT_EQ(instance_drift(instance, &type, node_class), "SubnetDrift");
  instance.subnet_id = "subnet-1";
  EXPECT_EQ(instance_drift(instance, &type, node_class), "");
}

TEST(InstanceProfiles, TheOldNameIsKarpenters) {
  Wire wire;
  aws::Iam iam(wire.client);
  model::NodeClass node_class;
  node_class.meta.name = "default";
  // Expected values: the library that Karpenter used.
  EXPECT_EQ(InstanceProfiles(iam, wire.runtime, {"demo", "us-east-1"}).old_name_of(node_class),
            "demo_15843455441266977890");
}

TEST(InstanceProfiles, AreMadeOnceAndFollowTheRole) {
  Wire wire;
  aws::Iam iam(wire.client);
  InstanceProfiles profiles(iam, wire.runtime, {"demo", "us-east-1"});
  model::NodeClass node_class;
  node_class.meta.name = "default";
  node_class.meta.uid = "u-1";
  node_class.role = "path/node-role";
  const std::string none = "<ErrorResponse><Error><Code>NoSuchEntity</Code></Error></ErrorResponse>";
  wire.transport.answer(404, none);
  wire.transport.answer(200, "<R><CreateInstanceProfileResult><InstanceProfile/></CreateInstanceProfileResult></R>");
  wire.transport.answer(200, "<R/>");
  const std::string name = *profiles.ensure(node_class, {});
  EXPECT_TRUE(name.starts_with("demo_"));
  EXPECT_TRUE(wire.transport.form_has(1, "Path=/karpenter/us-east-1/demo/u-1/"));
  EXPECT_TRUE(wire.transport.form_has(2, "RoleName=node-role"));
  EXPECT_EQ(*profiles.ensure(node_class, {}), name);
  EXPECT_EQ(wire.transport.requests.size(), 3u);
  wire.runtime.advance(kProfileTtl);  // checked again: someone changed the role
  wire.transport.answer(
      200,
      "<R><GetInstanceProfileResult><InstanceProfile><Roles><member><RoleName>other</RoleName></member>"
      "</Roles></InstanceProfile></GetInstanceProfileResult></R>");
  wire.transport.answer(200, "<R/>").answer(200, "<R/>");
  EXPECT_EQ(*profiles.ensure(node_class, {}), name);
  EXPECT_TRUE(wire.transport.form_has(4, "Action=RemoveRoleFromInstanceProfile"));
  EXPECT_TRUE(wire.transport.form_has(5, "Action=AddRoleToInstanceProfile"));
  node_class.instance_profile = "own";
  EXPECT_EQ(*profiles.ensure(node_class, {}), "own");
  model::NodeClass other_role = node_class;
  other_role.role = "path/another";
  EXPECT_NE(profiles.name_of(other_role), profiles.name_of(node_class));
}

TEST(Refreshed, KeepsTheOldValueThroughAnOutage) {
  aws::testing::ManualRuntime runtime;
  Refreshed<int> value(runtime, {.good_for = 1h, .retry_after = 1min});
  int loads = 0;
  bool broken = true;
  const auto load = [&]() -> Result<int> {
    ++loads;
    if (broken) return fail(Code::kUnavailable, "down");
    return loads;
  };
  EXPECT_FALSE(value.get(load, {}));
  broken = false;
  EXPECT_EQ(**value.get(load, {}), 2);
  EXPECT_EQ(**value.get(load, {}), 2);
  runtime.advance(1h);
  broken = true;
  EXPECT_EQ(**value.get(load, {}), 2);
  EXPECT_EQ(loads, 3);
  EXPECT_EQ(**value.get(load, {}), 2);
  EXPECT_EQ(loads, 3);
  value.expire();
  broken = false;
  EXPECT_EQ(**value.get(load, {}), 4);
}

// Sorted by text, with the tenth before the second.
TEST(PlacementGroups, ThePartitionThatAClaimGets) {
  const auto partition = [](std::vector<std::string> values, int64_t of) {
    return pick_partition(
        *model::Requirements::make(
            {{std::string(model::kLabelPlacementGroupPartition), model::Operator::kIn, std::move(values), {}}}),
        of);
  };
  EXPECT_EQ(partition({"3", "2"}, 3), 2);
  EXPECT_EQ(partition({"2", "10"}, 12), 10);
  EXPECT_EQ(partition({"7"}, 3), 0);
  const auto exists = model::Requirements::make(
      {{std::string(model::kLabelPlacementGroupPartition), model::Operator::kExists, {}, {}}});
  EXPECT_EQ(pick_partition(*exists, 3, [](int64_t each) { return each != 1; }), 2) << "the first is short";
  EXPECT_EQ(pick_partition(*model::Requirements::make({}), 3), 0);
}

TEST(LostInstances, AreThoseThatNobodyExpectedToGo) {
  LostInstances lost;
  Instant now{};
  const auto list = [&](LostInstances::Pools living) {
    now += 1min;
    lost.listed(std::move(living), now);
    return lost.take();
  };
  EXPECT_THAT(list({{"i-1", "a"}, {"i-2", "a"}, {"i-3", "b"}}), IsEmpty()) << "before the first list nothing is known";
  lost.expect_end_of("i-1", now);
  lost.expect_end_of("i-9", now);  // younger than the list
  EXPECT_THAT(list({{"i-2", "a"}, {"i-3", "b"}, {"i-9", "b"}}), IsEmpty());
  EXPECT_THAT(list({{"i-3", "b"}}), ElementsAre("a")) << "i-2; i-9 was to go";
  EXPECT_THAT(list({{"i-3", "b"}}), IsEmpty()) << "told once";
  lost.listed({}, now - 1s);
  EXPECT_THAT(lost.take(), IsEmpty()) << "an old answer";
  lost.expect_end_of("i-3", now);
  now += LostInstances::kExpectedFor;
  EXPECT_THAT(list({{"i-3", "b"}}), IsEmpty());
  EXPECT_THAT(list({}), ElementsAre("b")) << "it did not go when it was to";
}

// parity: provider-aws pkg/cache/cache.go
TEST(Ttls, AreKarpenters) {
  EXPECT_EQ(kSubnetTtl, 1min);
  EXPECT_EQ(kSecurityGroupTtl, 1min);
  EXPECT_EQ(kAmiTtl, 1min);
  EXPECT_EQ(kReservationTtl, 1min);
  EXPECT_EQ(kTemplateVerified, 1min);
  EXPECT_EQ(kPlacementGroupTtl, 1min);
  EXPECT_EQ(kPlacementGroupStale, 24h);
  EXPECT_EQ(kPublicParameterTtl, 24h);
  EXPECT_EQ(kUserParameterTtl, 5min);
  EXPECT_EQ(kDeprecatedRecheck, 30min);
  EXPECT_EQ(kProfileTtl, 15min);
  EXPECT_EQ(kProfileProtected, 1h);
  EXPECT_EQ(kValidationTtl, 30min);
  EXPECT_EQ(kUnavailableFor, 3min);
  EXPECT_EQ(kTypeTtl, 12h);
  EXPECT_EQ(kPriceTtl, 12h);
  EXPECT_EQ(kLearnedFor, 60 * 24h);
  EXPECT_EQ(kClusterTtl, 5min);
  EXPECT_EQ(kBlockExpires, 40min);
  EXPECT_EQ(kSickFor, 2min);
}

TEST(TtlMap, Forgets) {
  aws::testing::ManualRuntime runtime;
  TtlMap<std::string, int> map(runtime, 1min);
  map.put("a", 1);
  EXPECT_EQ(map.find("a"), 1);
  EXPECT_FALSE(map.find("b"));
  runtime.advance(1min);
  EXPECT_FALSE(map.find("a"));
}

}  // namespace
}  // namespace tenon::cloud
