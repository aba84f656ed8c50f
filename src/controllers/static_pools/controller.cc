// SPDX-License-Identifier: Apache-2.0
#include "controllers/static_pools/controller.h"

#include <algorithm>

#include "controllers/static_pools/decide.h"
#include "model/unreadable.h"

namespace tenon::controllers::static_pools {
namespace {
constexpr Duration kCreateInterval = 10s;  // minimum between creations, so that failed ones are not repeated at once
constexpr Duration kTurnInterval = 1s;     // until the retry, if another controller holds the turn
}  // namespace

Controller::Controller(Context& context, std::optional<int64_t> max_nodes)
    : context_(context),
      max_nodes_(max_nodes),
      loop_(context.runtime, {.name = "static", .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  auto& cluster = context_.cluster;
  cluster.pools.on_change([this](const auto& change) {
    if (change.after && change.after->replicas) loop_.add(change.key);
  });
  cluster.claims.on_change([this](const auto& change) {
    const auto& claim = change.after ? change.after : change.before;
    const bool fewer =
        !change.after || (change.before && change.after->meta.deleting() != change.before->meta.deleting());
    if (fewer) loop_.add(std::string(claim->pool()));
  });
  if (context_.freeze) {
    context_.freeze->on_change([this] {  // the nodes that a freeze held back
      for (const auto& pool : context_.cluster.pools.list()) {
        if (pool->replicas) loop_.add(pool->meta.name);
      }
    });
  }
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  if (!context_.cluster.trusted()) return Next{kTurnInterval};
  const uint64_t turns = context_.ledger.turns();
  const scheduling::Snapshot now = context_.cluster.snapshot();
  const auto view =
      std::find_if(now.pools.begin(), now.pools.end(), [&](const auto& v) { return v.pool->meta.name == name; });
  if (view == now.pools.end() || !view->pool->replicas || view->pool->meta.deleting() ||
      !model::unreadable(*view->pool).empty())
    return Next{};
  const plan::Plan plan = decide(now, *view, {max_nodes_, created_at_[name] + kCreateInterval}, turns);
  Outcome outcome;
  Status done = context_.applier.apply(plan, outcome, stop);
  if (outcome.turn_lost) return Next{kTurnInterval};
  const bool all_held = outcome.created.empty() && outcome.failures.empty() && !outcome.held.empty();
  if (plan::find<plan::CreateNodeClaim>(plan) && !all_held) created_at_[name] = now.now;
  TRY(std::move(done));
  Next next = plan.again;
  if (const auto retry_at = outcome.retry_at()) {
    const Duration pause = std::max<Duration>(*retry_at - now.now, 0s);
    next = std::min(next.value_or(pause), pause);
  }
  return next;
}

}  // namespace tenon::controllers::static_pools
