// Tenon takes over the cluster that real Karpenter left (karpenter_left.h): no node is replaced, and none drifts.
// SPDX-License-Identifier: Apache-2.0
#include "simulation/karpenter_left.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace tenon::simulation {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

cli::Decisions without_wait() {
  cli::Decisions decisions = cli::default_decisions();
  decisions.disruption.adoption_wait = {};
  return decisions;
}

TEST(KarpenterLeft, NothingIsReplaced) {
  KarpenterLeft cluster(cli::default_decisions());
  const auto before = cluster.inventory();
  ASSERT_THAT(before, SizeIs(11)) << "two claims, nodes and instances, five pods";
  cluster.run_for(50min);
  EXPECT_EQ(cluster.inventory(), before) << ::testing::PrintToString(cluster.decided());
  EXPECT_THAT(cluster.condemned(), IsEmpty());
}

// Both nodes are needed, so that not even consolidation has a reason.
TEST(KarpenterLeft, NothingIsReplacedWithoutAWait) {
  KarpenterLeft cluster(without_wait());
  const auto before = cluster.inventory();
  cluster.run_for(50min);
  EXPECT_EQ(cluster.inventory(), before) << ::testing::PrintToString(cluster.decided());
  EXPECT_THAT(cluster.condemned(), IsEmpty());
}

// Scales up and down with Tenon: what Karpenter launched stays, what Tenon launched is removed.
TEST(KarpenterLeft, ItsNodesOutliveATideOfPods) {
  KarpenterLeft cluster(cli::default_decisions());
  const auto nodes = cluster.claim_names();
  cluster.scale(12);
  cluster.run_for(5min);
  EXPECT_GT(cluster.claim_names().size(), nodes.size());
  cluster.scale(5);
  cluster.run_for(40min);
  EXPECT_EQ(cluster.claim_names(), nodes) << ::testing::PrintToString(cluster.decided());
}

// The hashes that Karpenter wrote are believed: a template that was edited behind its back is drift.
TEST(KarpenterLeft, AnEditOfTheTemplateIsDrift) {
  KarpenterLeft cluster(cli::default_decisions(), [](json::value& document) {
    if (json::string_at(document, {"kind"}) == "NodePool")
      json::ensure(document, {"spec", "template", "metadata", "labels", "team"}) = "edited";
  });
  const auto nodes = cluster.claim_names();
  cluster.run_for(20min);
  EXPECT_THAT(cluster.decided(), Contains(HasSubstr("Drifted")));
  EXPECT_THAT(cluster.claim_names(), SizeIs(nodes.size()));
  EXPECT_NE(cluster.claim_names(), nodes);
}

}  // namespace
}  // namespace tenon::simulation
