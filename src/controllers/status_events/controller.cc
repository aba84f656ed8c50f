// SPDX-License-Identifier: Apache-2.0
#include "controllers/status_events/controller.h"

#include "controllers/status_events/decide.h"

namespace tenon::controllers::status_events {

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime, {.name = "status.events", .on_error = context.failed},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  watch(context_.cluster.claims);
  watch(context_.cluster.pools);
  watch(context_.cluster.nodes);
  watch(context_.cluster.node_classes);
}

template <class T>
void Controller::watch(kube::Informer<T>& cache) {
  cache.on_change([this](const typename kube::Informer<T>::Change& change) {
    if (!change.before) return;
    const plan::ObjectRef about = plan::ref(*change.before);
    tell(about.kind + "/" + change.key, change.after
                                            ? transitions(about, change.before->conditions, change.after->conditions)
                                            : finalized(about, change.before->meta));
  });
}

void Controller::tell(const std::string& key, plan::Plan plan) {
  if (plan.actions.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (plan::Action& action : plan.actions) untold_[key].add(std::move(action));
  }
  loop_.add(key);
}

Result<Next> Controller::reconcile(const std::string& key, const std::stop_token& stop) {
  plan::Plan plan;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = untold_.extract(key)) plan = std::move(at.mapped());
  }
  TRY(context_.applier.apply(plan, stop));
  return Next{};
}

}  // namespace tenon::controllers::status_events
