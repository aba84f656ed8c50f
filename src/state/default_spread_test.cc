// SPDX-License-Identifier: Apache-2.0
#include "state/default_spread.h"

#include <gtest/gtest.h>

namespace tenon::state {
namespace {

scheduling::PodPtr pod(const std::string& name, model::StringMap labels) {
  model::Pod out;
  out.meta.ns = "default";
  out.meta.name = name;
  out.meta.labels = std::move(labels);
  return std::make_shared<const model::Pod>(std::move(out));
}

std::shared_ptr<const model::PodSelector> service(model::StringMap selects) {
  model::PodSelector out;
  out.meta.ns = "default";
  out.kind = "Service";
  out.selector.match_labels = std::move(selects);
  return std::make_shared<const model::PodSelector>(std::move(out));
}

scheduling::SpreadConstraints by_zone() {
  model::SpreadConstraint constraint;
  constraint.topology_key = "topology.kubernetes.io/zone";
  constraint.max_skew = 1;
  return {constraint};
}

TEST(SnapshotSpread, ChangesCopiesOnceAndAnewWhenSelectorsChange) {
  SnapshotSpread::PodSelectors selectors = {service({{"app", "web"}})};
  SnapshotSpread spread(by_zone(), [&] { return selectors; });
  const auto a = pod("a", {{"app", "web"}}), b = pod("b", {{"app", "web"}}), other = pod("c", {{"app", "db"}});
  const auto look = [&] {
    scheduling::Snapshot snapshot;
    snapshot.pending = {a, other};
    snapshot.nodes.emplace_back().pods = {b};
    spread.apply(snapshot);
    return snapshot;
  };
  const scheduling::Snapshot first = look(), second = look();
  ASSERT_EQ(first.pending[0]->spec->spread.size(), 1u);
  EXPECT_EQ(first.pending[0]->spec->spread[0].selector->match_labels, (model::StringMap{{"app", "web"}}));
  EXPECT_EQ(first.nodes[0].pods[0]->spec->spread.size(), 1u) << "it may have to move";
  EXPECT_EQ(first.pending[1], other) << "nothing selects it";
  EXPECT_TRUE(a->spec->spread.empty()) << "the cache keeps its own";
  EXPECT_EQ(second.pending[0], first.pending[0]) << "not made again";
  EXPECT_EQ(&*first.pending[0]->spec, &*first.nodes[0].pods[0]->spec) << "equal specs are one";
  selectors = {service({{"app", "db"}})};
  EXPECT_EQ(look().pending[0], first.pending[0]) << "nobody has said so";
  spread.selectors_changed();
  const scheduling::Snapshot third = look();
  EXPECT_EQ(third.pending[0], a);
  EXPECT_EQ(third.pending[1]->spec->spread.size(), 1u);
}

TEST(SnapshotSpread, WithoutConstraintsNothingIsAsked) {
  SnapshotSpread spread({}, []() -> SnapshotSpread::PodSelectors {
    ADD_FAILURE() << "asked";
    return {};
  });
  scheduling::Snapshot snapshot;
  snapshot.pending = {pod("a", {{"app", "web"}})};
  spread.apply(snapshot);
  EXPECT_TRUE(snapshot.pending[0]->spec->spread.empty());
}

}  // namespace
}  // namespace tenon::state
