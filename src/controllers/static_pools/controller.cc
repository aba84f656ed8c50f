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
  if (plan::find<plan::CreateNodeClaim>(plan)) created_at_[name] = now.now;
  TRY(std::move(done));
  return Next{plan.again};
}

}  // namespace tenon::controllers::static_pools
