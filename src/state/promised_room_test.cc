// SPDX-License-Identifier: Apache-2.0
#include "state/promised_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::state {
namespace {

using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;
using testing::ElementsAre;
using testing::IsEmpty;

PodPtr pod(const std::string& name, bool ending = false) {
  model::Pod p;
  p.meta.ns = "default";
  p.meta.name = name;
  if (ending) p.meta.deleted_at = Instant(1s);
  return std::make_shared<const model::Pod>(p);
}

NodeView node(const std::string& name, std::vector<PodPtr> pods, bool goes = false) {
  model::Node n;
  n.meta.name = name;
  model::NodeClaim c;
  c.meta.name = "claim-" + name;
  NodeView view;
  view.node = std::make_shared<const model::Node>(n);
  view.claim = std::make_shared<const model::NodeClaim>(c);
  view.pods = std::move(pods);
  view.marked_for_deletion = goes;
  return view;
}

std::vector<std::string> pods_of(const Snapshot& snapshot, const std::string& name) {
  std::vector<std::string> names;
  for (const PodPtr& each : snapshot.node(name)->pods) names.push_back(each->meta.name);
  return names;
}

Snapshot cluster(bool goes = true, bool target_goes = false, bool ending = false) {
  Snapshot snapshot;
  snapshot.nodes = {node("new", {pod("b")}, target_goes), node("old", {pod("a", ending), pod("c")}, goes)};
  return snapshot;
}

TEST(PromisedRoom, PodsOfANodeThatGoesCountWhereTheyWillBe) {
  PromisedRoom room;
  room.promise("claim-new", {"default/a"});
  for (int look = 0; look < 2; ++look) {
    Snapshot now = cluster();
    EXPECT_THAT(room.keep(now), ElementsAre("new"));
    EXPECT_THAT(pods_of(now, "new"), ElementsAre("a", "b"));
    EXPECT_THAT(pods_of(now, "old"), ElementsAre("c"));
  }
}

TEST(PromisedRoom, WhatCameToNothingIsForgotten) {
  for (const Snapshot& otherwise : {cluster(false), cluster(true, true), cluster(true, false, true), Snapshot()}) {
    PromisedRoom room;
    room.promise("new", {"default/a"});
    Snapshot then = otherwise;
    EXPECT_THAT(room.keep(then), IsEmpty());
    Snapshot now = cluster();
    EXPECT_THAT(room.keep(now), IsEmpty());
    EXPECT_THAT(pods_of(now, "old"), ElementsAre("a", "c"));
  }
}

TEST(PromisedRoom, TheLastPromiseCounts) {
  PromisedRoom room;
  room.promise("nowhere", {"default/a"});
  room.promise("new", {"default/a"});
  Snapshot now = cluster();
  EXPECT_THAT(room.keep(now), ElementsAre("new"));
}

TEST(PromisedRoom, APromiseOutlivesTheLaunchOfItsNode) {
  PromisedRoom room;
  room.promise("claim-new", {"default/a"});
  Snapshot open = cluster();
  open.nodes[0].node = nullptr;
  open.nodes[0].pods.edit().push_back(open.nodes[1].pods.front());  // as open launches are counted
  open.nodes[1].pods.edit().erase(open.nodes[1].pods.begin());
  EXPECT_THAT(room.keep(open), IsEmpty());
  Snapshot launched = cluster();
  EXPECT_THAT(room.keep(launched), ElementsAre("new"));
  EXPECT_THAT(pods_of(launched, "new"), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace tenon::state
