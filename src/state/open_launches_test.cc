// SPDX-License-Identifier: Apache-2.0
#include "state/open_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::state {
namespace {

using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;
using testing::ElementsAre;

PodPtr pod(const std::string& name, const std::string& node = "", const std::string& buffer = "") {
  model::Pod p;
  p.meta.ns = "default";
  p.meta.name = name;
  p.node_name = node;
  p.spec.edit().buffer = buffer;
  return std::make_shared<const model::Pod>(p);
}

model::NodeClaim claim(const std::string& name, const std::vector<std::string>& pods) {
  model::NodeClaim c;
  c.meta.name = name;
  c.meta.labels[std::string(model::kLabelNodePool)] = "default";
  c.requests = model::Resources{{"cpu", 700}, {"pods", 2}};
  const auto in = [&](std::string_view key, std::vector<std::string> values) {
    c.requirements.push_back({std::string(key), model::Operator::kIn, std::move(values), std::nullopt});
  };
  in(model::kLabelInstanceType, {"small", "large"});
  in(model::kLabelZone, {"a"});
  in(model::kLabelCapacityType, {"on-demand", "spot"});
  note_pods(pods, c);
  return c;
}

NodeView view(model::NodeClaim c) { return {nullptr, std::make_shared<const model::NodeClaim>(std::move(c)), {}}; }

NodeView node_that_goes(std::vector<PodPtr> pods) {
  model::Node n;
  n.meta.name = "old";
  n.meta.deleted_at = Instant(1s);
  return {std::make_shared<const model::Node>(n), nullptr, std::move(pods)};
}

Snapshot cluster(std::vector<NodeView> nodes, std::vector<PodPtr> pending) {
  model::NodePool pool;
  pool.meta.name = "default";
  model::InstanceType small, large, huge;
  small.name = "small";
  small.capacity = model::Resources{{"cpu", 2000}, {"memory", 16}};
  large.name = "large";
  large.capacity = model::Resources{{"cpu", 8000}, {"memory", 4}, {"gpu", 1}};
  huge.name = "huge";
  huge.capacity = model::Resources{{"cpu", 96000}};
  Snapshot snapshot;
  snapshot.pools.push_back({std::make_shared<const model::NodePool>(pool),
                            std::make_shared<const std::vector<model::InstanceType>>(std::vector{small, large, huge}),
                            ""});
  snapshot.nodes = std::move(nodes);
  snapshot.pending = std::move(pending);
  return snapshot;
}

std::vector<std::string> names(const std::vector<PodPtr>& pods) {
  std::vector<std::string> out;
  for (const PodPtr& p : pods) out.push_back(p->meta.name);
  return out;
}

TEST(OpenLaunches, AClaimWithoutAnInstanceCountsAsWhatIsExpectedOfIt) {
  Snapshot s = cluster({view(claim("open", {}))}, {});
  expect_open_launches(s);
  const NodeView& open = s.nodes.front();
  EXPECT_EQ(open.allocatable(), (model::Resources{{"cpu", 700}, {"pods", 2}})) << "no room but for its pods";
  EXPECT_EQ(open.capacity(), (model::Resources{{"cpu", 8000}, {"gpu", 1}, {"memory", 16}, {"nodes", 1}}))
      << "against limits the most of each resource that the listed types have";
  EXPECT_EQ(model::lookup(open.labels(), model::kLabelZone), "a");
  EXPECT_EQ(model::lookup(open.labels(), model::kLabelCapacityType), "") << "nobody knows yet";
}

TEST(OpenLaunches, ItsPodsAreOnItAndNobodyElses) {
  Snapshot s = cluster({view(claim("open", {"default/b", "default/going", "default/gone"})),
                        node_that_goes({pod("going", "old"), pod("stays", "old")})},
                       {pod("a"), pod("b"), pod("room", "", "default/spare")});
  expect_open_launches(s);
  EXPECT_THAT(names(s.nodes[0].pods), ElementsAre("b", "going"));
  EXPECT_THAT(names(s.nodes[1].pods), ElementsAre("stays"));
  EXPECT_THAT(names(s.pending), ElementsAre("a", "room"));
}

TEST(OpenLaunches, WhatIsLaunchedHasItsOwnRoomAndWhatGoesHasNoPods) {
  model::NodeClaim launched = claim("launched", {"default/a"}), going = claim("going", {"default/b"});
  launched.provider_id = "aws:///a/i-1";
  launched.allocatable = model::Resources{{"cpu", 1900}};
  going.meta.deleted_at = Instant(1s);
  Snapshot s = cluster({view(launched), view(going)}, {pod("a"), pod("b")});
  expect_open_launches(s);
  EXPECT_THAT(names(s.pending), ElementsAre("b"));
  EXPECT_THAT(names(s.nodes[0].pods), ElementsAre("a"));
  EXPECT_EQ(s.nodes[0].allocatable(), launched.allocatable);
  EXPECT_TRUE(s.nodes[1].allocatable().empty());
}

// kube-scheduler may bind other pods to the node first: afterwards, pods that still wait are planned for again.
TEST(OpenLaunches, PodsStayOnTheirNodeUntilItIsInitialized) {
  for (const bool initialized : {false, true}) {
    model::NodeClaim launched = claim("launched", {"default/a", "default/b"});
    launched.provider_id = "aws:///a/i-1";
    model::Node node;
    node.meta.name = "n1";
    if (initialized) node.meta.labels[std::string(model::kLabelInitialized)] = "true";
    NodeView joined = view(launched);
    joined.node = std::make_shared<const model::Node>(node);
    joined.pods = {pod("b", "n1")};
    Snapshot s = cluster({joined}, {pod("a"), pod("c")});
    expect_open_launches(s);
    if (initialized) {
      EXPECT_THAT(names(s.pending), ElementsAre("a", "c"));
      EXPECT_THAT(names(s.nodes[0].pods), ElementsAre("b"));
    } else {
      EXPECT_THAT(names(s.pending), ElementsAre("c"));
      EXPECT_THAT(names(s.nodes[0].pods), ElementsAre("a", "b"));
    }
  }
}

TEST(OpenLaunches, ANodeIsNominatedForSomeSecondsAfterItsStart) {
  for (const auto& [age, nominated] : {std::pair{19s, true}, std::pair{20s, false}}) {
    model::NodeClaim usable = claim("usable", {});
    usable.conditions.push_back({std::string(model::kInitialized), "True", "Initialized", "", Instant(100s), 0});
    Snapshot s = cluster({view(usable)}, {});
    s.now = Instant(100s + age);
    expect_open_launches(s);
    EXPECT_EQ(s.nodes[0].nominated, nominated) << age.count();
  }
}

TEST(OpenLaunches, ANoteHasALimit) {
  std::vector<std::string> pods;
  for (int i = 0; i < 10'000; ++i) pods.push_back("default/a-pod-with-a-long-name-" + std::to_string(i));
  const model::NodeClaim c = claim("open", pods);
  const std::string_view note = model::lookup(c.meta.annotations, kAnnotationPods);
  EXPECT_LE(note.size(), kMaxPodsNoteBytes);
  EXPECT_GT(note.size(), kMaxPodsNoteBytes - 100);
  EXPECT_TRUE(claim("open", {}).meta.annotations.empty());
}

}  // namespace
}  // namespace tenon::state
