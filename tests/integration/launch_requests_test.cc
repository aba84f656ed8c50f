// The requests to EC2 when a node is launched, byte by byte: launch_requests/NAME.yaml is the input, NAME.txt holds the
// requests CreateLaunchTemplate and CreateFleet (of a case with `validation`: those of the node class's own
// validation), one parameter a line. A different result is left as build/…/launch_requests/NAME.txt, to be compared and
// copied. A case is
//
//   class: {spec: {…}}       # merged into a class of AL2023; an AWSNodeTemplate or a Provisioner is taken as it is
//   claim: {spec: {…}}       # merged into a claim of one m5.large on demand
//   dns: fd00::a             # of the cluster
//   reserve: [{type: m5.large, zone: us-east-1a, block: true, interruptible: true}]   # tagged team=a
//   placementGroup: {name: parts, strategy: partition, partitions: 3}
//   profile: ours            # an instance profile that is there
//   launchTemplate: {name: mine, image: ami-1}      # of the user
//   kubernetes: "1.29"       # the version of the cluster
//   gate: false              # ReservedCapacity
//   validation: true
//
// whole-life.txt holds every call in the order of an instance's life.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "aws/ec2.h"
#include "aws/iam.h"
#include "aws_world.h"
#include "base/text.h"
#include "http/message.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"
#include "kube/codec/earlier_api.h"
#include "testing/case_files.h"

namespace tenon::cloud {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(TENON_SOURCE_DIR) / "tests/integration/launch_requests";

constexpr const char* kClass = R"(
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default, uid: 0aa0-nodeclass, generation: 1}
spec:
  role: KarpenterNodeRole-demo
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
)";

constexpr const char* kClaim = R"(
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: default-1, uid: uid-of-default-1, labels: {karpenter.sh/nodepool: default, type: karpenter}}
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements:
  - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
  - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
  resources: {requests: {cpu: "1", memory: 1Gi}}
)";

// The class of a case: of v1, or of v0.27.
Result<model::NodeClass> class_of(const json::value& given, const json::value& document) {
  const std::string_view kind = json::string_at(given, {"class", "kind"});
  if (kind == "AWSNodeTemplate") return kube::codec::decode_node_template(*json::find(given, {"class"}));
  if (kind == "Provisioner") return kube::codec::decode_inline_provider(*json::find(given, {"class"}));
  return kube::codec::decode_node_class(document);
}

json::value merged(const char* yaml, const json::value& given, const char* name) {
  json::value base = json::parse_yaml(yaml)->front();
  if (const json::value* over = json::find(given, {name})) json::apply_merge_patch(base, *over);
  return base;
}

// One parameter a line; parameters of user data are decoded and follow the request.
std::string shown(const std::string& body) {
  std::string lines, user_data;
  for (const auto& [name, value] : http::parse_query(body)) {
    if (name != "LaunchTemplateData.UserData") {
      lines += name + "=" + value + "\n";
      continue;
    }
    lines += name + "=(base64 of what follows)\n";
    EXPECT_TRUE(base64_decode(value, user_data));
  }
  for (const std::string_view line : split(user_data, '\n')) {
    if (!user_data.empty()) lines += line.empty() ? "\n" : "    " + std::string(line) + "\n";
  }
  return lines;
}

std::string sent_for(const json::value& given) {
  testing::World world;
  AwsProviderOptions options{.cluster_name = "demo"};
  options.cluster_dns_ip = json::string_at(given, {"dns"});
  options.reserved_capacity = json::bool_at(given, {"gate"}, true);
  if (const std::string version(json::string_at(given, {"kubernetes"})); !version.empty())
    options.kubernetes_version = [version](const auto&) { return version; };
  world.restart(std::move(options));
  for (const json::value& wanted : json::array_at(given, {"reserve"})) {
    awssim::FakeReservation reservation;
    reservation.instance_type = json::string_at(wanted, {"type"});
    reservation.zone = json::string_at(wanted, {"zone"});
    reservation.block = json::bool_at(wanted, {"block"});
    reservation.interruptible = json::bool_at(wanted, {"interruptible"});
    if (reservation.block) reservation.ends_at = world.runtime.now() + 24h;
    reservation.tags = {{"team", "a"}};
    world.fake->reserve(reservation);
  }
  if (const json::value* group = json::find(given, {"placementGroup"})) {
    world.fake->make_placement_group({"", std::string(json::string_at(*group, {"name"})),
                                      std::string(json::string_at(*group, {"strategy"})),
                                      json::int_at(*group, {"partitions"})});
  }
  if (const std::string_view profile = json::string_at(given, {"profile"}); !profile.empty()) {
    EXPECT_TRUE(aws::Iam(*world.client).create_instance_profile({std::string(profile), "/", {}}, {}));
  }
  if (const json::value* made = json::find(given, {"launchTemplate"})) {
    aws::LaunchTemplateInput input;
    input.name = json::string_at(*made, {"name"});
    input.image_id = json::string_at(*made, {"image"});
    EXPECT_TRUE(aws::Ec2(*world.client).create_launch_template(input, {}));
  }
  const auto spec = class_of(given, merged(kClass, given, "class"));
  EXPECT_TRUE(spec) << spec.error().message;
  const model::NodeClass node_class = world.ready_class(*spec);
  if (!node_class.ready()) return "the class is not ready: " + node_class.conditions.back().message + "\n";
  if (!json::bool_at(given, {"validation"})) {
    world.sent.clear();
    const auto claim = kube::codec::decode_node_claim(merged(kClaim, given, "claim"));
    EXPECT_TRUE(claim) << claim.error().message;
    // Resources that a NodeOverlay may have added to the types exist.
    const auto known = world.provider->instance_types(node_class, {});
    auto types = std::make_shared<std::vector<model::InstanceType>>(**known);
    for (model::InstanceType& type : *types) type.capacity.set("eks.amazonaws.com/nip-slots", 4);
    const auto made = world.provider->create(*claim, node_class, types, {});
    EXPECT_TRUE(made) << made.error().message;
  }
  std::string text;
  for (const std::string& body : world.sent) {
    for (const char* action : {"CreateLaunchTemplate", "CreateFleet", "RunInstances"}) {
      if (!body.starts_with("Action=" + std::string(action) + "&")) continue;
      text += (text.empty() ? "" : "\n") + shown(body);
    }
  }
  return text;
}

// All calls of the life of a node class and one instance, except for pages after the first.
std::string calls_of_a_life() {
  testing::World world;
  AwsProviderOptions options{.cluster_name = "demo"};
  options.cluster_ca_base64 = "Q0E=";
  world.restart(std::move(options));
  model::NodeClass spec = testing::some_class();
  spec.subnet_selector_terms.push_back({.id = "subnet-1"});
  spec.security_group_selector_terms.push_back({.id = "sg-1"});
  spec.security_group_selector_terms.push_back({.name = "nodes-*"});
  spec.reservation_selector_terms = {{{{"team", "a"}}, "", "123456789012", "targeted"}};
  const std::string group = world.fake->make_placement_group({"", "apart", "spread", 0});
  spec.placement_group.name = "apart";
  world.sent.clear();
  std::string text;
  const auto tell = [&](const std::string& what) {
    text += (text.empty() ? "# " : "\n# ") + what + "\n";
    for (const std::string& body : world.sent) {
      if (body.find("NextToken") != std::string::npos) continue;
      text += "\n" + (body.starts_with("Action=") ? shown(body) : body + "\n");
    }
    world.sent.clear();
  };
  const model::NodeClass node_class = world.ready_class(spec);
  EXPECT_TRUE(node_class.ready());
  tell("a class is resolved and validated");
  const model::NodeClaim wanted = testing::some_claim("default-1", {"m5.large"}, "on-demand");
  const auto made = world.provider->create(wanted, node_class, {}, {});
  EXPECT_TRUE(made) << made.error().message;
  tell("an instance is launched");
  model::NodeClaim claim = wanted;
  claim.node_name = "ip-10-0-0-1.ec2.internal";
  claim.provider_id = made->provider_id;
  world.runtime.advance(10min);
  EXPECT_TRUE(world.provider->name_instance(claim, {}));
  tell("it is named");
  EXPECT_TRUE(world.provider->list({}));
  tell("ours are listed");
  EXPECT_TRUE(world.provider->sick_instances({}));
  tell("what is sick is looked for");
  EXPECT_TRUE(world.provider->shifted_zones({}));
  tell("so are zones that traffic is shifted away from");
  EXPECT_TRUE(world.provider->remove(made->provider_id, {}));
  tell("it is ended");
  EXPECT_TRUE(world.provider->remove_stray_profiles({}, {}));
  tell("profiles that nobody uses are looked for");
  EXPECT_TRUE(world.provider->finalize(node_class, {}));
  tell("the class goes");
  return text;
}

void expect_file(const std::string& name, const std::string& text) {
  const std::string wanted = tenon::testing::read_file(kFolder / (name + ".txt"));
  if (text != wanted) {
    const fs::path made = fs::path(TENON_BINARY_DIR) / "launch_requests";
    fs::create_directories(made);
    std::ofstream(made / (name + ".txt"), std::ios::binary) << text;
  }
  EXPECT_EQ(text, wanted);
}

TEST(Calls, OfAWholeLife) { expect_file("whole-life", calls_of_a_life()); }

class LaunchRequests : public ::testing::TestWithParam<std::string> {};

TEST_P(LaunchRequests, AreWhatTheFileSays) {
  expect_file(GetParam(),
              sent_for(json::parse_yaml(tenon::testing::read_file(kFolder / (GetParam() + ".yaml")))->front()));
}

INSTANTIATE_TEST_SUITE_P(Files, LaunchRequests, ::testing::ValuesIn(tenon::testing::case_names(kFolder)),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tenon::cloud
