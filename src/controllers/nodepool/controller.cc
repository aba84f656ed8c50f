// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodepool/controller.h"

#include "controllers/apply_each.h"
#include "controllers/nodepool/decide.h"
#include "model/structural_hash.h"
#include "model/unreadable.h"

namespace tenon::controllers::nodepool {
namespace {

constexpr Duration kCountInterval = 5s;  // parity: nodepool.counter

}  // namespace

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime, {.name = "nodepool", .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  auto& cluster = context_.cluster;
  cluster.pools.on_change([this](const auto& change) { loop_.add(change.key); });
  cluster.node_classes.on_change([this](const auto& change) {
    for (const auto& pool : context_.cluster.pools.list()) {
      if (pool->node_template.node_class_ref.key() == change.key) loop_.add(pool->meta.name);
    }
  });
}

std::vector<Controller::ClaimPtr> Controller::unstamped_claims(const std::string& pool) const {
  auto claims = context_.cluster.claims.list();
  std::erase_if(claims, [&](const auto& claim) {
    return claim->pool() != pool || stamped(claim->meta) || !model::unreadable(*claim).empty();
  });
  return claims;
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto pool = context_.cluster.pools.get(name);
  if (!pool || pool->meta.deleting() || !model::unreadable(*pool).empty()) return Next{};
  View view;
  view.pool = *pool;
  view.now = context_.runtime.now();
  if (const auto node_class = context_.cluster.node_classes.get(pool->node_template.node_class_ref.key())) {
    view.node_class = *node_class;
  }
  const auto claims = stamped(pool->meta) ? std::vector<ClaimPtr>() : unstamped_claims(name);
  view.claims_stamped = claims.empty();
  if (health_outdated(view)) {
    context_.health.reset(pool->meta.uid);
  } else {
    const auto* healthy = model::find_condition(pool->conditions, "NodeRegistrationHealthy");
    view.health = context_.health.verdict(pool->meta.uid, healthy->status);
  }
  view.used = state::capacity(context_.cluster.pool_use(name));
  TRY(context_.applier.apply(decide(view), stop));
  if (claims.empty()) return Next{kCountInterval};
  const auto in_time = [&, ends = context_.runtime.now() + kStampTime] { return context_.runtime.now() < ends; };
  const auto restamp_claim = [hash = model::node_pool_hash(*pool)](const model::NodeClaim& claim) {
    return restamp(claim, hash);
  };
  TRY(apply_each(context_.applier, claims, restamp_claim, in_time, stop));
  return Next{kCountInterval};
}

}  // namespace tenon::controllers::nodepool
