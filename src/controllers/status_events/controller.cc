// SPDX-License-Identifier: Apache-2.0
#include "controllers/status_events/controller.h"

#include <type_traits>

#include "controllers/status_events/decide.h"
#include "model/condition_set.h"
#include "model/generations.h"

namespace tenon::controllers::status_events {
namespace {

// A NodeClaim's condition that no controller has written yet counts as Unknown: the order of the writers is random.
template <class T>
std::vector<model::Condition> conditions_of(const T* object) {
  if (!object) return {};
  std::vector<model::Condition> conditions = object->conditions;
  if constexpr (std::is_same_v<T, model::NodeClaim>) {
    const model::ObjectMeta& meta = object->meta;
    const model::ConditionSet complete({&conditions, meta.created_at, meta.generation}, model::kNodeClaimStatus,
                                       meta.created_at);
  }
  return conditions;
}

}  // namespace

Controller::Controller(Context& context, metrics::Registry& registry)
    : context_(context),
      metrics_(std::make_shared<StatusMetrics>(context.runtime, context.cluster, registry)),
      loop_(context.runtime, {.name = "status.events", .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  registry.add(metrics_);
  watch(context_.cluster.claims);
  watch(context_.cluster.pools);
  watch(context_.cluster.nodes);
  watch(context_.cluster.node_classes);
  context_.cluster.capacity_buffers.on_change([this](const auto& change) {
    using Object = StatusMetrics::Object;
    const auto object = [](const auto& buffer) {
      return buffer ? std::optional<Object>({buffer->meta, buffer->status.conditions}) : std::nullopt;
    };
    const auto before = object(change.before), after = object(change.after);
    metrics_->changed("CapacityBuffer", before ? &*before : nullptr, after ? &*after : nullptr);
  });
}

Controller::~Controller() { metrics_->detach(); }

template <class Cache>
void Controller::watch(Cache& cache) {
  cache.on_change([this](const typename Cache::Change& change) {
    if constexpr (std::is_same_v<Cache, kube::Informer<model::Node>>) {
      if (context_.cluster.foreign(change.after ? *change.after : *change.before)) return;
    }
    if constexpr (std::is_same_v<Cache, kube::Joined<model::NodeClass>>) {
      if (model::is_inline_provider(change.key)) return;  // the conditions of its Provisioner follow its own
    }
    const plan::ObjectRef about = plan::ref(change.before ? *change.before : *change.after);
    using Object = StatusMetrics::Object;
    const auto was = conditions_of(change.before.get()), is = conditions_of(change.after.get());
    const auto before = change.before ? std::optional<Object>({change.before->meta, was}) : std::nullopt;
    const auto after = change.after ? std::optional<Object>({change.after->meta, is}) : std::nullopt;
    metrics_->changed(about.kind, before ? &*before : nullptr, after ? &*after : nullptr);
    if (!change.before) return;
    emit(about.kind + "/" + change.key,
         change.after ? transitions(about, was, is) : finalized(about, change.before->meta));
  });
}

void Controller::emit(const std::string& key, plan::Plan plan) {
  if (plan.actions.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (plan::Action& action : plan.actions) unreported_[key].add(std::move(action));
  }
  loop_.add(key);
}

Result<Next> Controller::reconcile(const std::string& key, const std::stop_token& stop) {
  plan::Plan plan;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = unreported_.extract(key)) plan = std::move(at.mapped());
  }
  TRY(context_.applier.apply(plan, stop));
  return Next{};
}

}  // namespace tenon::controllers::status_events
