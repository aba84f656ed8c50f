// SPDX-License-Identifier: Apache-2.0
#include "controllers/static_pools/decide.h"

#include <algorithm>
#include <tuple>

#include "controllers/provisioning/decide.h"
#include "disruption/cost.h"
#include "model/labels.h"
#include "model/unreadable.h"
#include "scheduling/input/eviction.h"
#include "scheduling/input/solution.h"

namespace tenon::controllers::static_pools {
namespace {

using scheduling::NodeView;

bool held_by_command(const NodeView& node) { return node.claim->is(model::kDisruptionReason); }

bool refuses(const NodeView& node, Instant now) {
  if (!model::unreadable(*node.claim).empty() || !model::unreadable(*node.node).empty()) return true;
  return std::any_of(node.pods.begin(), node.pods.end(), [&](const auto& pod) {
    return scheduling::refuses_disruption(*pod, now) || !model::unreadable(*pod).empty();
  });
}

bool only_daemons(const NodeView& node) {
  return std::all_of(node.pods.begin(), node.pods.end(),
                     [](const auto& pod) { return pod->owned_by_daemon_set() || pod->owned_by_node(); });
}

// Returns the share of the claim's lifetime that is left, in thousandths.
int64_t life_left_milli(const model::NodeClaim& claim, Instant now) {
  if (!claim.expire_after || *claim.expire_after <= Duration(0)) return 1000;
  const double left = 1.0 - in_seconds(now - claim.meta.created_at) / in_seconds(*claim.expire_after);
  return static_cast<int64_t>(std::clamp(left, 0.0, 1.0) * 1000);
}

// Order of removal: claims without a Node, Nodes with daemons only, then by disruption cost; pods that refuse come
// last.
struct Rank {
  int kind;
  int64_t cost;
  std::string name;
  auto key() const { return std::tie(kind, cost, name); }
};
Rank rank(const NodeView& node, Instant now) {
  const std::string& name = node.claim->meta.name;
  if (!node.node || !node.claim->is(model::kLaunched)) return {0, 0, name};
  const bool stays = refuses(node, now);
  if (!stays && only_daemons(node)) return {1, 0, name};
  return {stays ? 3 : 2, disruption::disruption_cost_milli(node) * life_left_milli(*node.claim, now), name};
}

std::optional<int64_t> node_limit(const model::NodePool& pool) {
  if (!pool.limits || !pool.limits->has("nodes")) return std::nullopt;
  return pool.limits->get("nodes");
}

void take_away(std::vector<const NodeView*> active, size_t count, Instant now, plan::Plan& plan) {
  std::sort(active.begin(), active.end(), [&](const NodeView* a, const NodeView* b) {
    const Rank ra = rank(*a, now), rb = rank(*b, now);
    return ra.key() < rb.key();
  });
  active.resize(count);
  for (const NodeView* node : active) {
    plan.begin_group();
    plan.add(plan::DeleteNodeClaim{*node->claim, ""});
  }
}

}  // namespace

Decision decide(const scheduling::Snapshot& snapshot, const scheduling::PoolView& view,
                std::optional<int64_t> max_nodes) {
  Decision decision;
  const model::NodePool& pool = *view.pool;
  std::vector<const NodeView*> active;
  size_t held = 0, going = 0;
  for (const NodeView& node : snapshot.nodes) {
    if (!node.managed() || node.pool() != pool.meta.name) continue;
    if (node.deleting()) {
      ++going;
    } else if (held_by_command(node)) {
      ++held;
    } else {
      active.push_back(&node);
    }
  }
  const auto wanted = static_cast<size_t>(pool.replicas.value_or(0));
  if (active.size() > wanted) {
    take_away(active, active.size() - wanted, snapshot.now, decision.plan);
  } else if (active.size() + held < wanted && view.not_ready.empty()) {
    decision.create = wanted - active.size();
    int64_t room = INT64_MAX;
    if (const auto limit = node_limit(pool)) room = *limit - static_cast<int64_t>(active.size() + held + going);
    if (max_nodes) room = std::min(room, *max_nodes - snapshot.size());
    const auto most = static_cast<size_t>(std::max<int64_t>(0, room));
    decision.at_limit = most < decision.create;
    decision.create = std::min(decision.create, most);
  }
  return decision;
}

std::optional<model::NodeClaim> claim_like_template(const scheduling::PoolView& view) {
  const model::NodeTemplate& wanted = view.pool->node_template;
  auto requirements = model::Requirements::make(wanted.requirements);
  if (!requirements) return std::nullopt;
  scheduling::PlannedNode node;
  node.pool = view.pool->meta.name;
  node.labels = Shared<model::StringMap>(wanted.labels);
  node.taints = wanted.taints;
  node.startup_taints = wanted.startup_taints;
  node.requirements = *std::move(requirements);
  return provisioning::make_claim(node, view);
}

}  // namespace tenon::controllers::static_pools
