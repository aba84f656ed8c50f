// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/consolidation_backoff.h"

#include <gtest/gtest.h>

namespace tenon::controllers::disruption {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;
using tenon::disruption::Method;

const Instant kStart(1'000'000s);

NodeView node(const std::string& name, const std::string& owner, Instant created) {
  model::Node n;
  n.meta.name = name;
  model::NodeClaim c;
  c.meta.name = "claim-" + name;
  c.meta.created_at = created;
  model::Pod p;
  p.meta.name = owner + "-pod-on-" + name;
  p.meta.owners = {{.api_version = "apps/v1", .kind = "ReplicaSet", .uid = owner, .controller = true}};
  p.phase = "Running";
  NodeView view;
  view.node = std::make_shared<const model::Node>(n);
  view.claim = std::make_shared<const model::NodeClaim>(c);
  view.pods.edit().push_back(std::make_shared<const model::Pod>(p));
  return view;
}

Snapshot at(Instant now, std::vector<NodeView> nodes) {
  Snapshot s;
  s.now = now;
  s.nodes = std::move(nodes);
  return s;
}

Command consolidation(const std::string& node, Method method = Method::kSingleNodeConsolidation) {
  Command c;
  c.move.method = method;
  c.move.nodes = {node};
  return c;
}

// A move of `web` from node a, and a launch of `bought` for the pods of `owner` after this time.
struct Story {
  ConsolidationBackoff backoff;
  Instant now = kStart;

  void move_and_launch(const std::string& owner, Duration later, Method method = Method::kSingleNodeConsolidation,
                       bool ours = false) {
    backoff.record_move(consolidation("a", method), at(now, {node("a", "web", kStart)}));
    const NodeView bought = node("b", owner, now + later);
    if (ours) backoff.record_replacement(bought.claim->meta.name, now);
    now += later + 30s;
    backoff.detect_wrong_moves(at(now, {bought}));
  }
  // With this number of pods: one as at the wrong move, or more.
  bool blocks(const std::string& owner, Method method = Method::kSingleNodeConsolidation, int pods = 2) const {
    std::vector<NodeView> nodes{node("c", owner, kStart)};
    for (int more = 1; more < pods; ++more) nodes.push_back(node("d" + std::to_string(more), owner, kStart));
    return backoff.blocks(consolidation("c", method).move, at(now, nodes));
  }
};

TEST(ConsolidationBackoff, PodsRestOnceNodesWereBoughtForThemTwice) {
  Story story;
  story.move_and_launch("web", 10s);
  EXPECT_FALSE(story.blocks("web")) << "once may be a coincidence";
  story.move_and_launch("web", 10s);
  EXPECT_TRUE(story.blocks("web"));
  EXPECT_FALSE(story.blocks("other"));
  EXPECT_FALSE(story.blocks("web", Method::kDrift));
  EXPECT_FALSE(story.blocks("web", Method::kEmptiness));
  story.now += kFirstRest;
  EXPECT_FALSE(story.blocks("web"));
}

TEST(ConsolidationBackoff, EachRestIsTwiceTheLastUpToHalfAnHour) {
  Story story;
  story.move_and_launch("web", 10s);
  for (const Duration rest : {Duration(5min), Duration(10min), Duration(20min), Duration(30min), Duration(30min)}) {
    story.move_and_launch("web", 10s);
    story.now += rest - 1s;
    EXPECT_TRUE(story.blocks("web")) << format_go_duration(rest);
    story.now += 1s;
    EXPECT_FALSE(story.blocks("web")) << format_go_duration(rest);
  }
  story.now += kRestForgotten + 1s;
  story.backoff.detect_wrong_moves(at(story.now, {}));  // its pods no longer exist
  story.move_and_launch("web", 10s);
  EXPECT_FALSE(story.blocks("web")) << "it was forgotten";
}

TEST(ConsolidationBackoff, WhatIsAsItWasRestsForADay) {
  const auto as_it_was = [](const Story& s) { return s.blocks("web", Method::kSingleNodeConsolidation, 1); };
  Story story;
  story.move_and_launch("web", 10s);
  EXPECT_FALSE(as_it_was(story)) << "once may be a coincidence";
  story.move_and_launch("web", 10s);
  story.now += kFirstRest;
  EXPECT_TRUE(as_it_was(story));
  EXPECT_FALSE(story.blocks("web")) << "there is another pod";
  story.now += kUnchangedRest - kFirstRest - 1s;
  EXPECT_TRUE(as_it_was(story));
  story.backoff.detect_wrong_moves(at(story.now, {node("c", "web", kStart)}));  // keeps all rests that have not ended
  EXPECT_TRUE(as_it_was(story));
  story.now += 1s;
  EXPECT_FALSE(as_it_was(story));
}

TEST(ConsolidationBackoff, WhatIsBoughtForOthersOrLaterOrByDisruptionProvesNothing) {
  for (const auto& tell : std::vector<std::function<void(Story&)>>{
           [](Story& s) { s.move_and_launch("other", 10s); },
           [](Story& s) { s.move_and_launch("web", kRelaunchWindow + 1s); },
           [](Story& s) { s.move_and_launch("web", 10s, Method::kSingleNodeConsolidation, true); },
           [](Story& s) { s.move_and_launch("web", 10s, Method::kDrift); }}) {
    Story story;
    tell(story);
    tell(story);
    EXPECT_FALSE(story.blocks("web"));
  }
}

}  // namespace
}  // namespace tenon::controllers::disruption
