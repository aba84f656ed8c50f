// SPDX-License-Identifier: Apache-2.0
#include "controllers/static_pools/decide.h"

#include <algorithm>
#include <tuple>

#include "controllers/claims/batches.h"
#include "controllers/claims/make_claim.h"
#include "disruption/cost.h"
#include "log/messages.h"
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

void add_creates(const scheduling::Snapshot& snapshot, const scheduling::PoolView& view, size_t count,
                 plan::Plan& plan) {
  const auto like = claim_like_template(view);
  if (!like) return;
  std::vector<model::NodeClaim> claims(count, *like);
  std::vector<model::NodeClaim*> marked;
  for (model::NodeClaim& claim : claims) marked.push_back(&claim);
  claims::mark_batches(marked, claims::pass_id("s-" + view.pool->meta.uid, snapshot.now));
  for (model::NodeClaim& claim : claims) {
    plan.begin_group();
    plan.add(
        plan::CreateNodeClaim{.claim = std::move(claim), .log = " for the static nodepool/" + view.pool->meta.name});
  }
}

log::Fields counts(const model::NodePool& pool, size_t current, size_t desired, log::Key key, size_t count) {
  log::Fields about{.node_pool = pool.meta.name};
  about.more = {{log::Key::kCurrent, static_cast<int64_t>(current)},
                {log::Key::kDesired, static_cast<int64_t>(desired)},
                {key, static_cast<int64_t>(count)}};
  return about;
}

// The nodes of one pool.
struct Nodes {
  std::vector<const NodeView*> active;
  size_t held = 0, going = 0;
};

Nodes nodes_of(const scheduling::Snapshot& snapshot, const model::NodePool& pool) {
  Nodes nodes;
  for (const NodeView& node : snapshot.nodes) {
    if (!node.managed() || node.pool() != pool.meta.name) continue;
    if (node.deleting()) {
      ++nodes.going;
    } else if (held_by_command(node)) {
      ++nodes.held;
    } else {
      nodes.active.push_back(&node);
    }
  }
  return nodes;
}

}  // namespace

plan::Plan decide(const scheduling::Snapshot& snapshot, const scheduling::PoolView& view, const Limits& limits,
                  uint64_t turns) {
  plan::Plan plan;
  plan.again = kInterval;
  const model::NodePool& pool = *view.pool;
  const Nodes nodes = nodes_of(snapshot, pool);
  const size_t active = nodes.active.size();
  const auto wanted = static_cast<size_t>(pool.replicas.value_or(0));
  std::optional<int64_t> at_limit;  // of the cluster
  if (active > wanted) {
    take_away(nodes.active, active - wanted, snapshot.now, plan);
    plan.log.push_back(log::step(log::kDeprovisioningReplicas,
                                 counts(pool, active, wanted, log::Key::kDeprovisionCount, active - wanted)));
  } else if (active + nodes.held < wanted && view.not_ready.empty()) {
    const size_t missing = wanted - active;
    int64_t room = INT64_MAX, of_cluster = INT64_MAX;
    if (const auto limit = node_limit(pool)) room = *limit - static_cast<int64_t>(active + nodes.held + nodes.going);
    if (limits.max_nodes) of_cluster = *limits.max_nodes - snapshot.size();
    const bool by_cluster = of_cluster < room;
    room = std::min(room, of_cluster);
    const size_t create = std::min(missing, static_cast<size_t>(std::max<int64_t>(0, room)));
    if (create > 0 && snapshot.now < limits.create_from) {
      plan.again = limits.create_from - snapshot.now;
      return plan;
    }
    add_creates(snapshot, view, create, plan);
    if (create > 0) {
      plan.log.push_back(
          log::step(log::kProvisioningReplicas, counts(pool, active, wanted, log::Key::kProvisionCount, create)));
    }
    if (create < missing) {
      plan.again = kAtLimitInterval;
      plan.log.push_back(log::decision(
          log::kAtNodeLimit, {.node_pool = pool.meta.name},
          "nodepool/" + pool.meta.name + " has as many nodes as its limits, or that of the cluster, allow"));
      if (by_cluster) at_limit = limits.max_nodes;
    }
  }
  if (!plan.actions.empty()) plan.turn = turns;
  if (at_limit) {
    plan.begin_group();
    plan.event(plan::ref(pool), "Warning", "NodeLimitReached",
               "node limit of the cluster has been exhausted (max-nodes=" + std::to_string(*at_limit) + ")");
  }
  return plan;
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
  return claims::make_claim(node, view);
}

}  // namespace tenon::controllers::static_pools
