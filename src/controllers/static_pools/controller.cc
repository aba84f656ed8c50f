// SPDX-License-Identifier: Apache-2.0
#include "controllers/static_pools/controller.h"

#include <algorithm>

#include "controllers/apply/create_claims.h"
#include "controllers/provisioning/batches.h"
#include "controllers/static_pools/decide.h"
#include "model/unreadable.h"

namespace tenon::controllers::static_pools {
namespace {
constexpr Duration kBuyInterval = 10s;  // minimum between launches, so that failed ones are not repeated at once
constexpr Duration kTurnInterval = 1s;  // until the retry, if another controller holds the turn
}  // namespace

Controller::Controller(Context& context, std::optional<int64_t> max_nodes)
    : context_(context),
      max_nodes_(max_nodes),
      loop_(context.runtime, {.name = "static", .on_error = context.failed},
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
  const uint64_t turns = context_.cluster.turns();
  const scheduling::Snapshot now = context_.cluster.snapshot();
  const auto view =
      std::find_if(now.pools.begin(), now.pools.end(), [&](const auto& v) { return v.pool->meta.name == name; });
  if (view == now.pools.end() || !view->pool->replicas || view->pool->meta.deleting() ||
      !model::unreadable(*view->pool).empty())
    return Next{};
  const Decision decision = decide(now, *view, max_nodes_);
  const bool acts = decision.create > 0 || !decision.plan.actions.empty();
  const auto turn = acts ? context_.cluster.take_turn(turns) : std::nullopt;
  if (acts && !turn) return Next{kTurnInterval};
  TRY(context_.applier.apply(decision.plan, stop));
  if (decision.create > 0) {
    const Duration since = now.now - bought_at_[name];
    if (since < kBuyInterval) return Next{kBuyInterval - since};
    bought_at_[name] = now.now;
  }
  TRY(create(*view, decision.create, stop));
  if (decision.at_limit)
    context_.decided("nodepool/" + name + " has as many nodes as its limits, or that of the cluster, allow");
  return Next{decision.at_limit ? kAtLimitInterval : kInterval};
}

Status Controller::create(const scheduling::PoolView& view, size_t count, const std::stop_token& stop) {
  const auto like = claim_like_template(view);
  if (!like) return ok();
  std::vector<plan::CreateNodeClaim> claims(count, {*like});
  std::vector<model::NodeClaim*> marked;
  for (plan::CreateNodeClaim& action : claims) marked.push_back(&action.claim);
  provisioning::mark_batches(marked, provisioning::pass_id("s-" + view.pool->meta.uid, context_.runtime.now()));
  const auto created = create_claims(context_, claims, stop);
  for (const auto& claim : created) {
    if (claim) context_.decided("nodeclaim/" + claim->meta.name + " for the static nodepool/" + view.pool->meta.name);
  }
  return failures_in(created);
}

}  // namespace tenon::controllers::static_pools
