// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launch_templates.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "aws/testing/canned.h"

namespace tenon::cloud {
namespace {

TEST(LaunchTemplates, HaveTheInterfacesOfTheClassOrOfItsPods) {
  model::NodeClass node_class;
  const auto of = [&](int64_t efas) {
    return *make_template({node_class, {.family = AmiFamily::kCustom}, "ami-1", false, {}, efas});
  };
  EXPECT_EQ(of(0).interfaces.size(), 1u);
  EXPECT_EQ(of(0).interfaces[0].type, "");
  const auto efas = of(2);
  ASSERT_EQ(efas.interfaces.size(), 2u);
  EXPECT_EQ(efas.interfaces[1].type, "efa");
  EXPECT_EQ(efas.interfaces[1].card, 1);
  EXPECT_EQ(efas.interfaces[1].device, 1);
  EXPECT_NE(efas.name, of(0).name);
  const std::string plain = of(0).name;
  node_class.network_interfaces = {{0, 0, false}, {0, 1, true}};
  const auto own = of(2);
  ASSERT_EQ(own.interfaces.size(), 2u);
  EXPECT_EQ(own.interfaces[0].type, "interface");
  EXPECT_EQ(own.interfaces[1].type, "efa-only");
  EXPECT_NE(own.name, plain);
}

// Each row: a change to a node class or a launch. A change of the template's content changes its name; other changes do
// not.
TEST(LaunchTemplates, AreNamedAfterAllThatIsInThem) {
  using Class = model::NodeClass;
  using Change = std::function<void(Class&, TemplateInput&)>;
  const auto name = [](const Change& change) {
    Class own;
    TemplateInput input{own, {.family = AmiFamily::kCustom}, "ami-1", false, {}, 0};
    change(own, input);
    return make_template(input)->name;
  };
  const auto tracking = [](Class& c, auto set) { set(c.connection_tracking.emplace()); };
  const std::vector<std::pair<const char*, Change>> others = {
      {"the image", [](Class&, auto& i) { i.image_id = "ami-2"; }},
      {"the profile", [](Class& c, auto&) { c.resolved_instance_profile = "p"; }},
      {"user data", [](Class&, auto& i) { i.bootstrap.user_data = "x"; }},
      {"the family", [](Class&, auto& i) { i.bootstrap.family = AmiFamily::kBottlerocket; }},
      {"security groups", [](Class& c, auto&) { c.security_groups = {{"sg-1", ""}}; }},
      {"tags", [](Class&, auto& i) { i.tags = {{"a", "b"}}; }},
      {"spot",
       [](Class&, auto& i) {
         i.spot = true;
         i.tags = {{"a", "b"}};
       }},
      {"a public address", [](Class& c, auto&) { c.associate_public_ip = true; }},
      {"no public address", [](Class& c, auto&) { c.associate_public_ip = false; }},
      {"prefixes", [](Class& c, auto&) { c.ip_prefix_count = 1; }},
      {"disks", [](Class& c, auto&) { c.block_devices.push_back({.device_name = "/dev/xvda"}); }},
      {"iops", [](Class& c, auto&) { c.block_devices.push_back({.device_name = "/dev/xvda", .iops = 4000}); }},
      {"httpEndpoint", [](Class& c, auto&) { c.metadata_options.emplace().http_endpoint = "disabled"; }},
      {"httpProtocolIPv6", [](Class& c, auto&) { c.metadata_options.emplace().http_protocol_ipv6 = "enabled"; }},
      {"hops", [](Class& c, auto&) { c.metadata_options.emplace().http_put_response_hop_limit = 2; }},
      {"httpTokens", [](Class& c, auto&) { c.metadata_options.emplace().http_tokens = "optional"; }},
      {"monitoring", [](Class& c, auto&) { c.detailed_monitoring = true; }},
      {"EFA", [](Class&, auto& i) { i.efa_interfaces = 1; }},
      {"two EFA", [](Class&, auto& i) { i.efa_interfaces = 2; }},
      {"interfaces", [](Class& c, auto&) { c.network_interfaces = {{0, 0, false}}; }},
      {"efa-only interfaces", [](Class& c, auto&) { c.network_interfaces = {{0, 0, false}, {0, 1, true}}; }},
      {"tracking of TCP", [&](Class& c, auto&) { tracking(c, [](auto& t) { t.tcp_established = 60; }); }},
      {"tracking of UDP", [&](Class& c, auto&) { tracking(c, [](auto& t) { t.udp = 60; }); }},
      {"tracking of streams", [&](Class& c, auto&) { tracking(c, [](auto& t) { t.udp_stream = 60; }); }},
      {"virtual machines", [](Class& c, auto&) { c.nested_virtualization = "enabled"; }},
      {"no virtual machines", [](Class& c, auto&) { c.nested_virtualization = "disabled"; }},
      {"tenancy", [](Class&, auto& i) { i.tenancy = "dedicated"; }},
      {"enclaves", [](Class&, auto& i) { i.enclaves = true; }},
      {"IPv6", [](Class&, auto& i) { i.bootstrap.dns_ip = "fd00::a"; }},
      {"a reservation", [](Class&, auto& i) { i.reservation_id = "cr-1"; }},
      {"another", [](Class&, auto& i) { i.reservation_id = "cr-2"; }},
      {"a market",
       [](Class&, auto& i) {
         i.reservation_id = "cr-1";
         i.market_type = "capacity-block";
       }},
      {"no word of reservations", [](Class&, auto& i) { i.knows_reservations = false; }},
      {"a placement group", [](Class&, auto& i) { i.placement_group_id = "pg-1"; }},
      {"a partition",
       [](Class&, auto& i) {
         i.placement_group_id = "pg-1";
         i.partition = 1;
       }},
  };
  const std::vector<std::pair<const char*, Change>> same = {
      {"nothing", [](Class&, auto&) {}},
      {"the DNS of an IPv4 cluster, which Custom does not tell",
       [](Class&, auto& i) { i.bootstrap.dns_ip = "172.20.0.10"; }},
      {"subnets", [](Class& c, auto&) { c.subnets = {{"subnet-1", "a", ""}}; }},
      {"selectors", [](Class& c, auto&) { c.ami_selector_terms = {{.id = "ami-1"}}; }},
      {"the Fleet's context", [](Class& c, auto&) { c.context = "x"; }},
  };
  const std::string plain = name([](auto&, auto&) {});
  std::set<std::string> seen{plain};
  for (const auto& [what, change] : others) EXPECT_TRUE(seen.insert(name(change)).second) << what;
  for (const auto& [what, change] : same) EXPECT_EQ(name(change), plain) << what;
}

TEST(LaunchTemplates, OneThatCannotBeDeletedDoesNotKeepTheOthers) {
  aws::testing::CannedClient canned;
  aws::Ec2 ec2(canned.client);
  LaunchTemplates templates({canned.client, ec2}, "demo");
  const auto item = [](const std::string& id) {
    return "<item><launchTemplateId>" + id + "</launchTemplateId><launchTemplateName>karpenter.k8s.aws/" + id +
           "</launchTemplateName><createTime>2026-01-01T00:00:00Z</createTime></item>";
  };
  canned.transport.answer(200, "<R><launchTemplates>" + item("lt-1") + item("lt-2") + "</launchTemplates></R>");
  canned.transport.answer(403, "<Response><Errors><Error><Code>AccessDenied</Code></Error></Errors></Response>");
  canned.transport.answer(200, "<R/>");
  const Status removed = templates.remove_all("default", {});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Code::kForbidden);
  ASSERT_EQ(canned.transport.requests.size(), 3u);
  EXPECT_TRUE(canned.transport.form_has(1, "LaunchTemplateId=lt-1"));
  EXPECT_TRUE(canned.transport.form_has(2, "LaunchTemplateId=lt-2"));
}

TEST(LaunchTemplates, SayNothingOfIpv6MetadataWhereEc2RefusesIt) {
  const model::NodeClass node_class;
  const auto told = [&](const std::string& region) {
    TemplateInput input{node_class, {.family = AmiFamily::kCustom}, "ami-1", false, {}, 0};
    input.region = region;
    return make_template(input)->http_protocol_ipv6;
  };
  for (const char* region :
       {"us-iso-east-1", "us-iso-west-1", "us-isob-east-1", "us-isob-west-1", "us-isof-south-1", "us-isof-east-1"})
    EXPECT_EQ(told(region), "") << region;
  EXPECT_EQ(told("us-east-1"), "disabled");
}

}  // namespace
}  // namespace tenon::cloud
