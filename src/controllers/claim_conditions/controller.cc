// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_conditions/controller.h"

#include "controllers/claim_conditions/decide.h"
#include "controllers/pods.h"
#include "model/unreadable.h"

namespace tenon::controllers::claim_conditions {
namespace {

// True if the pod was bound, ended, or began to end. For a pod observed for the first time see `bound_since`.
bool is_pod_event(const kube::Informer<model::Pod>::Change& change) {
  if (!change.after) return !change.before->terminal();
  if (!change.before) return !change.after->terminal();
  return change.before->node_name != change.after->node_name || change.before->terminal() != change.after->terminal() ||
         change.before->meta.deleting() != change.after->meta.deleting();
}

Instant bound_since(const model::Pod& pod) {
  const auto* scheduled = model::find_condition(pod.conditions, "PodScheduled");
  return scheduled ? scheduled->last_transition : pod.meta.created_at;
}

}  // namespace

Controller::Controller(Context& context, cloud::TypeReader& types, cloud::NodeClassReader& classes)
    : context_(context),
      types_(types),
      classes_(classes),
      conditions_(context.runtime,
                  {.name = "nodeclaim.disruption", .workers = 2, .log = context.log, .metrics = context.metrics.loops},
                  [this](const std::string& key, const std::stop_token& stop) { return judge(key, stop); }),
      pod_events_(context.runtime,
                  {.name = "nodeclaim.podevents", .workers = 2, .log = context.log, .metrics = context.metrics.loops},
                  [this](const std::string& key, const std::stop_token& stop) { return stamp(key, stop); }) {
  auto& cluster = context_.cluster;
  cluster.claims.on_change([this](const auto& change) { conditions_.add(change.key); });
  const auto every_claim = [this](const auto&) {
    for (const auto& claim : context_.cluster.claims.list()) conditions_.add(claim->meta.name);
  };
  cluster.pools.on_change([this](const auto& change) {
    if (change.before && change.after && !judges_anew(*change.before, *change.after)) return;
    for (const auto& claim : context_.cluster.claims.list()) {
      if (claim->pool() == change.key) conditions_.add(claim->meta.name);
    }
  });
  cluster.node_classes.on_change(every_claim);
  cluster.pods.on_change([this](const auto& change) { on_pod(change); });
}

void Controller::start() {
  conditions_.start();
  pod_events_.start();
}

void Controller::stop() {
  conditions_.stop();
  pod_events_.stop();
}

void Controller::on_pod(const kube::Informer<model::Pod>::Change& change) {
  const auto& pod = change.after ? change.after : change.before;
  if (pod->node_name.empty() || pod->owned_by_daemon_set() || !is_pod_event(change)) return;
  const auto node = context_.cluster.nodes.get(pod->node_name);
  if (!node) return;
  const auto claim = context_.cluster.claim_with_provider_id(node->provider_id);
  if (!claim) return;
  // After a restart every pod is new to us; only pods bound since the last stamp count as events.
  const bool first_sight = change.after && !change.before;
  if (first_sight && claim->last_pod_event_at && bound_since(*pod) <= *claim->last_pod_event_at) return;
  if (!stamp_due(*claim, context_.runtime.now())) return;  // most pods of a node are bound within seconds
  pod_events_.add(claim->meta.name);
}

Result<Next> Controller::judge(const std::string& name, const std::stop_token& stop) {
  const auto claim = context_.cluster.claims.get(name);
  if (!claim || claim->meta.deleting() || !model::unreadable(*claim).empty()) return Next{};
  View view;
  view.claim = *claim;
  view.now = context_.runtime.now();
  const auto pool = context_.cluster.pools.get(std::string(claim->pool()));
  const bool readable = pool && model::unreadable(*pool).empty();
  plan::Plan plan = decide_expiration(*claim, readable ? pool.get() : nullptr,
                                      reschedulable_pods(context_.cluster, claim->node_name), view.now);
  if (!plan.actions.empty()) {
    TRY(context_.applier.apply(plan, stop));
    return Next{};
  }
  if (pool) view.pool = *pool;
  cloud::InstanceTypes types;
  Status drift_unknown = ok();  // Consolidatable is still judged
  const auto node_class = context_.cluster.node_classes.get(claim->node_class_ref.key());
  // An object that cannot be read in full causes no drift; its next change reconciles the claim.
  if (pool && !readable) return Next{plan.again};
  if (node_class && !model::unreadable(*node_class).empty()) return Next{plan.again};
  if (node_class && claim->is(model::kLaunched)) {
    if (auto answer = types_.known_types(*node_class)) types = *answer;
    view.types = types.get();
    auto reason = classes_.drifted(*claim, *node_class, stop);
    view.provider_asked = reason.has_value();
    if (reason) {
      view.provider_reason = std::move(*reason);
    } else {
      drift_unknown = fail(reason.error());
    }
  }
  view.now = context_.runtime.now();  // the cloud calls took time
  const plan::Plan conditions = decide(view);
  TRY(context_.applier.apply(conditions, stop));
  TRY(std::move(drift_unknown));
  if (conditions.again) plan.requeue_after(*conditions.again);
  return Next{plan.again};
}

Result<Next> Controller::stamp(const std::string& name, const std::stop_token& stop) {
  const auto claim = context_.cluster.claims.get(name);
  if (!claim) return Next{};
  if (!model::unreadable(*claim).empty()) return Next{kStampInterval};
  const auto pool = context_.cluster.pools.get(std::string(claim->pool()));
  const bool readable = pool && model::unreadable(*pool).empty();
  TRY(context_.applier.apply(decide_stamp(*claim, readable ? pool.get() : nullptr, context_.runtime.now()), stop));
  return Next{};
}

}  // namespace tenon::controllers::claim_conditions
