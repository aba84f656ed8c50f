// Nodes that another controller has launched: consolidation waits an hour after their adoption, also across a restart;
// empty nodes are removed at once.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "simulation/as_karpenter.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

using ::testing::HasSubstr;

LifeOptions of_karpenter() {
  return {.types = {"m5.large", "m5.2xlarge"}, .pod_millicores = 1500, .pod_mib = 1500, .kube_transport = as_karpenter};
}

std::vector<std::string> types(const Life& life) {
  std::vector<std::string> all;
  for (const LiveNode& node : life.nodes()) all.push_back(node.type);
  return all;
}

std::string annotation(Life& life, const std::string& key) {
  const auto claims = life.api().list({"karpenter.sh", "nodeclaims"}, "");
  if (claims->items.size() != 1) return std::to_string(claims->items.size()) + " claims";
  return std::string(json::string_at(*claims->items[0], {"metadata", "annotations", key}));
}

std::string event_message(Life& life, const std::string& reason) {
  const auto events = life.api().list({"", "events"}, "default");
  for (const auto& event : events->items) {
    if (json::string_at(*event, {"reason"}) == reason) return std::string(json::string_at(*event, {"message"}));
  }
  return "none";
}

const std::vector<std::string> kLarge{"m5.large"}, kTooLarge{"m5.2xlarge"};

// Five pods need an m5.2xlarge, one of them an m5.large.
TEST(Adoption, ReplacesANodeAnHourAfterItWasAdopted) {
  Life life(of_karpenter());
  life.scale(5);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(types(life), kTooLarge);
  const std::string adopted = annotation(life, "tenon.dev/adopted-at");
  const auto at = parse_rfc3339(adopted);
  ASSERT_TRUE(at) << adopted;
  life.scale(1);
  life.run_for(*at + 30min - life.now());
  EXPECT_EQ(types(life), kTooLarge);
  EXPECT_THAT(event_message(life, "Unconsolidatable"), HasSubstr("it was adopted at " + adopted));
  life.crash();
  life.restart();
  life.run_for(*at + 59min - life.now());
  EXPECT_EQ(types(life), kTooLarge);
  EXPECT_EQ(annotation(life, "tenon.dev/adopted-at"), adopted);
  life.run_for(10min);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(types(life), kLarge);
  EXPECT_TRUE(life.failures().empty()) << life.failures().front().line;
}

TEST(Adoption, RemovesAnEmptyNodeAtOnce) {
  Life life(of_karpenter());
  life.scale(5);
  ASSERT_TRUE(life.settle());
  const Instant begun = life.now();
  life.scale(0);
  EXPECT_TRUE(life.run_until([&] { return life.nodes().empty(); }, 5min));
  EXPECT_LT(life.now() - begun, 5min);
}

TEST(Adoption, WithAWaitOfZeroReplacesANodeAtOnce) {
  LifeOptions options = of_karpenter();
  options.decisions.disruption.adoption_wait = {};
  Life life(options);
  life.scale(5);
  ASSERT_TRUE(life.settle());
  life.scale(1);
  EXPECT_TRUE(life.run_until([&] { return types(life) == kLarge; }, 10min));
}

TEST(Adoption, DoesNotConcernNodesThatTenonLaunched) {
  LifeOptions options = of_karpenter();
  options.kube_transport = {};
  Life life(options);
  life.scale(5);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(annotation(life, "tenon.dev/launched-by"), "tenon");
  EXPECT_EQ(annotation(life, "tenon.dev/adopted-at"), "");
  life.scale(1);
  EXPECT_TRUE(life.run_until([&] { return types(life) == kLarge; }, 10min));
}

}  // namespace
}  // namespace tenon::simulation
