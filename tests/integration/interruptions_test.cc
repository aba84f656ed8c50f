// Interruptions through the whole client side: SQS and EC2's statuses, from the wire-level AWS of the minicluster.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "aws/testing/canned.h"
#include "awssim/fake_aws.h"
#include "cloud/aws_provider/aws_provider.h"
#include "cloud/aws_provider/interruption/interruption_message.h"
#include "cloud/aws_provider/interruption/sqs_interruptions.h"
#include "http/loopback_transport.h"
#include "json/json.h"
#include "json/yaml.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using awssim::Notice;
using awssim::StatusCheck;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kHost = "aws.test";

struct World {
  explicit World(const std::string& queue = "demo") : interruptions(make_sqs_interruptions(client, queue)) {}

  // Returns the id of a running spot m5.large in us-east-1a.
  std::string launch() {
    model::NodeClass spec;
    spec.meta.name = "default";
    spec.meta.uid = "class";
    spec.meta.generation = 1;
    spec.role = "KarpenterNodeRole-demo";
    spec.ami_selector_terms = {{.alias = "al2023@latest"}};
    spec.subnet_selector_terms = {{.tags = {{"karpenter.sh/discovery", "demo"}}}};
    spec.security_group_selector_terms = {{.tags = {{"karpenter.sh/discovery", "demo"}}}};
    node_class = *provider->resolve(spec, {}, {});
    model::NodeClaim claim;
    claim.meta.name = "c1";
    claim.meta.uid = "uid-1";
    claim.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
    claim.requirements = {{std::string(model::kLabelInstanceType), model::Operator::kIn, {"m5.large"}, {}},
                          {std::string(model::kLabelZone), model::Operator::kIn, {"us-east-1a"}, {}},
                          {std::string(model::kLabelCapacityType), model::Operator::kIn, {"spot"}, {}}};
    const auto made = provider->create(claim, node_class, nullptr, {});
    EXPECT_TRUE(made) << made.error().message;
    runtime.advance(10s);
    return made->provider_id.substr(made->provider_id.rfind('/') + 1);
  }
  bool available(const std::string& zone) {
    const auto types = provider->instance_types(node_class, {});
    for (const auto& type : **types) {
      if (type.name != "m5.large") continue;
      for (const auto& offering : type.offerings) {
        if (offering.zone == zone && offering.capacity_type == "spot") return offering.available;
      }
    }
    ADD_FAILURE() << "no such offering";
    return false;
  }

  aws::testing::ManualRuntime runtime;
  std::unique_ptr<awssim::FakeAws> fake = awssim::make_fake_aws(runtime, {});
  std::unique_ptr<http::Transport> transport = http::make_loopback_transport({{kHost, fake.get()}});
  std::unique_ptr<aws::CredentialsProvider> credentials =
      aws::make_static_credentials({"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""});
  aws::Client client{{*transport, runtime, *credentials},
                     {.region = "us-east-1", .environment = [](const std::string& name) {
                        return name == "AWS_ENDPOINT_URL" ? "http://" + std::string(kHost) : std::string();
                      }}};
  std::unique_ptr<Provider> provider = make_aws_provider(client, {.cluster_name = "demo"});
  std::unique_ptr<InterruptionQueue> interruptions;
  model::NodeClass node_class;
};

TEST(SqsInterruptions, AreReceivedParsedAndRemoved) {
  World world;
  const std::string id = world.launch();
  ASSERT_TRUE(world.fake->warn(id, Notice::kRebalance));
  auto first = world.interruptions->receive(Duration(0), {});
  ASSERT_TRUE(first) << first.error().message;
  std::vector<std::string> receipts, kinds;
  for (const auto& message : *first) {
    receipts.push_back(message.receipt);
    kinds.emplace_back(to_string(message.what.kind));
  }
  EXPECT_THAT(kinds, ElementsAre("no_op", "no_op", "rebalance_recommendation"));
  EXPECT_THAT(first->back().what.instance_ids, ElementsAre(id));
  EXPECT_THAT(*world.interruptions->receive(Duration(0), {}), IsEmpty());
  receipts.pop_back();
  EXPECT_EQ(*world.interruptions->remove(receipts, {}), 2u);
  world.runtime.advance(kInterruptionVisibility);
  EXPECT_EQ(world.interruptions->receive(Duration(0), {})->size(), 1u) << "what was not removed comes again";
}

TEST(SqsInterruptions, AQueueThatIsNotThere) {
  World world("other");
  EXPECT_EQ(world.interruptions->receive(20s, {}).error().code, Code::kNotFound);
}

TEST(SickInstances, AfterTwoMinutesOrWithAnEvent) {
  World world;
  const std::string id = world.launch();
  EXPECT_THAT(*world.provider->sick_instances({}), IsEmpty());
  ASSERT_TRUE(world.fake->impair(id, StatusCheck::kInstance));
  ASSERT_TRUE(world.fake->impair(id, StatusCheck::kSystem));
  world.runtime.advance(119s);
  EXPECT_THAT(*world.provider->sick_instances({}), IsEmpty());
  world.runtime.advance(1s);
  EXPECT_THAT(*world.provider->sick_instances({}), ElementsAre(SickInstance{id, InterruptionKind::kInstanceStatus},
                                                               SickInstance{id, InterruptionKind::kSystemStatus}));
  ASSERT_TRUE(world.fake->warn(id, Notice::kScheduledChange));
  EXPECT_EQ(world.provider->sick_instances({})->back(), (SickInstance{id, InterruptionKind::kEventStatus}));
}

TEST(AwsProvider, LeavesOutWhatIsTakenBack) {
  World world;
  model::NodeClaim claim;
  claim.provider_id = "aws:///us-east-1a/" + world.launch();
  claim.meta.labels = {{std::string(model::kLabelInstanceType), "m5.large"},
                       {std::string(model::kLabelZone), "us-east-1a"}};
  EXPECT_TRUE(world.available("us-east-1a"));
  world.provider->taken_back(claim);
  EXPECT_FALSE(world.available("us-east-1a")) << "neither for new pods nor for consolidation";
  EXPECT_TRUE(world.available("us-east-1b"));
  world.runtime.advance(3min);
  EXPECT_TRUE(world.available("us-east-1a"));
}

// deploy/cloudformation.yaml: its rules deliver exactly the messages that are understood, each once.
TEST(Interruptions, TheRulesOfTheQueueSendWhatIsUnderstood) {
  std::ifstream file(TENON_SOURCE_DIR "/deploy/cloudformation.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto documents = json::parse_yaml(text);
  ASSERT_TRUE(documents) << documents.error().message;
  constexpr const char* kDetail = R"({"instance-id": "i-1", "state": "stopped", "service": "EC2",
    "eventTypeCategory": "scheduledChange", "affectedEntities": [{"entityValue": "i-1"}]})";
  std::vector<std::string> kinds;
  for (const auto& [name, resource] : json::object_at(documents->front(), {"Resources"})) {
    if (json::string_at(resource, {"Type"}) != "AWS::Events::Rule") continue;
    const json::value* pattern = json::find(resource, {"Properties", "EventPattern"});
    ASSERT_NE(pattern, nullptr) << name;
    for (const auto& detail_type : json::array_at(*pattern, {"detail-type"})) {
      const json::value message{{"version", "0"},
                                {"source", json::array_at(*pattern, {"source"}).at(0)},
                                {"detail-type", detail_type},
                                {"time", "2026-09-01T12:00:00Z"},
                                {"detail", *json::parse(kDetail)}};
      kinds.emplace_back(to_string(parse_interruption(json::to_string(message), Instant()).kind));
    }
  }
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre("spot_interrupted", "rebalance_recommendation", "instance_stopped",
                                                     "capacity_reservation_interrupted", "scheduled_change"));
}

}  // namespace
}  // namespace tenon::cloud
