// SPDX-License-Identifier: Apache-2.0
#include "controllers/repair/controller.h"

#include "controllers/pods.h"
#include "controllers/repair/decide.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::repair {

Controller::Controller(Context& context, cloud::HealthReader& health)
    : context_(context),
      health_(health),
      loop_(context.runtime, {.name = "node.health", .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  context_.cluster.nodes.on_change([this](const auto& change) {
    const bool changed = change.after && (!change.before || change.before->conditions != change.after->conditions);
    if (changed) loop_.add(change.key);
  });
  // An unhealthy Node is left alone while its claim is missing or cannot be read.
  context_.cluster.claims.on_change([this](const auto& change) {
    if (!model::newly_readable(change.before, change.after)) return;
    for (const auto& node : context_.cluster.nodes_with_provider_id(change.after->provider_id))
      loop_.add(node->meta.name);
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto node = context_.cluster.nodes.get(name);
  const auto claim = node ? context_.cluster.claim_with_provider_id(node->provider_id) : nullptr;
  if (!claim || !model::unreadable(*node).empty() || !model::unreadable(*claim).empty()) return Next{};
  View view;
  view.node = *node;
  view.claim = *claim;
  view.policies = health_.repair_policies();
  view.now = context_.runtime.now();
  const auto pool_of = [](const model::Node& n) { return model::pool_of(n.meta.labels); };
  for (const auto& other : context_.cluster.nodes.list()) {
    if (context_.cluster.foreign(*other)) continue;
    const size_t sick = is_sick(*other, view.policies) ? 1 : 0;
    view.in_cluster += 1;
    view.sick_in_cluster += sick;
    if (pool_of(*other) != pool_of(*node)) continue;
    view.in_pool += 1;
    view.sick_in_pool += sick;
  }
  view.pods = reschedulable_pods(context_.cluster, name);
  const plan::Plan plan = decide(view);
  TRY(context_.applier.apply(plan, stop));
  return Next{plan.again};
}

}  // namespace tenon::controllers::repair
