// SPDX-License-Identifier: Apache-2.0
#include "state/node_index.h"

#include <gtest/gtest.h>

#include <random>

#include "model/labels.h"
#include "state/node_views.h"

namespace tenon::state {
namespace {

using NodePtr = NodeIndex::NodePtr;
using ClaimPtr = NodeIndex::ClaimPtr;

const std::string kPool = "default";

NodePtr node(const std::string& name, const std::string& provider_id, int64_t cpu = 4000) {
  model::Node n;
  n.meta.name = name;
  n.provider_id = provider_id;
  n.capacity = model::Resources{{"cpu", cpu}};
  if (cpu % 2000 == 0) n.capacity.set("nvidia.com/gpu", cpu / 2000);  // a name that comes and leaves, also with 0
  n.meta.labels[std::string(model::kLabelInitialized)] = "true";
  return std::make_shared<const model::Node>(std::move(n));
}

ClaimPtr claim(const std::string& name, const std::string& provider_id, const std::string& pool = kPool,
               bool deleting = false) {
  model::NodeClaim c;
  c.meta.name = name;
  c.provider_id = provider_id;
  c.capacity = model::Resources{{"cpu", 2000}};
  c.meta.labels[std::string(model::kLabelNodePool)] = pool;
  if (deleting) c.meta.deleted_at = Instant(7s);
  return std::make_shared<const model::NodeClaim>(std::move(c));
}

// The index, and the objects in it.
struct Followed {
  NodeIndex index;
  std::map<std::string, NodePtr> nodes;
  std::map<std::string, ClaimPtr> claims;

  void put(const std::string& name, const NodePtr& after) { put(nodes, name, after); }
  void put(const std::string& name, const ClaimPtr& after) { put(claims, name, after); }

  template <class Ptr>
  void put(std::map<std::string, Ptr>& objects, const std::string& name, const Ptr& after) {
    const auto known = objects.find(name);
    const Ptr before = known == objects.end() ? nullptr : known->second;
    if (!before && !after) return;
    index.change(before, after);
    objects.erase(name);
    if (after) objects[name] = after;
  }

  // The expected views, computed from all objects.
  std::vector<scheduling::NodeView> views(const std::vector<ClaimPtr>& more) const {
    std::vector<NodePtr> all_nodes;
    std::map<std::string, ClaimPtr> with = claims;
    for (const auto& [name, one] : nodes) all_nodes.push_back(one);
    for (const ClaimPtr& one : more) with.emplace(one->meta.name, one);
    std::vector<ClaimPtr> all_claims;
    for (const auto& [name, one] : with) all_claims.push_back(one);
    return make_node_views(all_nodes, all_claims);
  }
};

// One line for each view.
std::string shown(const std::vector<scheduling::NodeView>& views) {
  std::string out;
  for (const auto& view : views) {
    out += view.name() + ": " + (view.node ? view.node->meta.name : "-") + " " +
           (view.claim ? view.claim->meta.name : "-") + "\n";
  }
  return out;
}

model::Resources capacity_of(const std::string& pool, const std::vector<scheduling::NodeView>& views) {
  model::Resources all;
  for (const auto& view : views) {
    if (view.pool() == pool && !view.deleting()) all += view.capacity();
  }
  return all;
}

std::string shown(const PoolUse& use) {
  std::string out;
  for (const auto& [name, amount] : use.settled.entries()) out += name + " " + std::to_string(amount) + ", ";
  for (const auto& [name, waiting] : use.waiting) out += " " + name;
  return out;
}

// Few names and ids, so that objects share them, lose them and come back.
TEST(NodeIndex, SaysWhatTheViewsOfAllObjectsSay) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return random() % n; };
    const auto id = [&] { return below(3) == 0 ? std::string() : "id-" + std::to_string(below(4)); };
    const auto some_claim = [&](const std::string& name) {
      return claim(name, id(), below(4) == 0 ? "other" : kPool, below(5) == 0);
    };
    Followed all;
    for (int change = 0; change < 60; ++change) {
      const std::string n = "n" + std::to_string(below(5)), c = "c" + std::to_string(below(5));
      if (below(2) == 0)
        all.put(n, below(4) == 0 ? nullptr : node(n, id(), 1000 * below(4)));
      else
        all.put(c, below(4) == 0 ? nullptr : some_claim(c));
      std::vector<ClaimPtr> more;
      if (below(2) == 0) more.push_back(some_claim("c" + std::to_string(below(7))));
      if (below(4) == 0) more.push_back(some_claim("d"));
      std::vector<scheduling::NodeView> expected = all.views(more);
      ASSERT_EQ(shown(all.index.views(more)), shown(expected)) << "seed " << seed;
      for (scheduling::NodeView view : all.index.views(more)) {
        const scheduling::NodeView::Known known{view.standing(), view.ending()};
        view.known.reset();
        ASSERT_EQ(known.ending, view.ending()) << view.name() << ", seed " << seed;
        ASSERT_EQ(known.standing.registered, view.registered()) << view.name() << ", seed " << seed;
        ASSERT_EQ(known.standing.initialized, view.initialized()) << view.name() << ", seed " << seed;
      }
      const std::vector<std::string> marked{"c1", "d", "nobody"};
      for (auto& view : expected)
        view.marked_for_deletion =
            view.claim && std::find(marked.begin(), marked.end(), view.claim->meta.name) != marked.end();
      for (const std::string& pool : {kPool, std::string("other"), std::string("none")}) {
        ASSERT_EQ(shown(all.index.use(pool, more, marked)), shown(pool_use(pool, expected))) << "seed " << seed;
        ASSERT_EQ(capacity(all.index.use(pool, more, marked)), capacity_of(pool, expected)) << "seed " << seed;
      }
    }
    while (!all.nodes.empty()) all.put(all.nodes.begin()->first, NodePtr());
    while (!all.claims.empty()) all.put(all.claims.begin()->first, ClaimPtr());
    EXPECT_EQ(all.index.size(), 0u) << "seed " << seed;
  }
}

// 10,000 nodes: a launch and its answer cost a handful of steps, as in a cluster of ten.
TEST(NodeIndex, ALaunchDoesNotLookAtTheOtherNodes) {
  uint64_t steps[2];
  for (const bool large : {false, true}) {
    Followed all;
    for (int i = 0; i < (large ? 10'000 : 10); ++i) {
      const std::string number = std::to_string(i);
      all.put("n" + number, node("n" + number, "id-" + number));
      all.put("c" + number, claim("c" + number, "id-" + number));
    }
    const uint64_t before = all.index.steps();
    all.put("new", claim("new", ""));
    EXPECT_EQ(shown(all.index.use(kPool, {}, {"c1"})).substr(0, 4), "cpu ");
    all.put("new", claim("new", "id-new"));
    EXPECT_EQ(all.index.use(kPool, {}, {}).settled.get("nodes"), (large ? 10'000 : 10) + 1);
    steps[large] = all.index.steps() - before;
  }
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_LE(steps[1], 4u);
}

}  // namespace
}  // namespace tenon::state
