// The constraints of a scheduler configuration name topology keys and skews, but no selector. The selector of a pod
// combines those of all Services that select the pod and of the workload that controls it. The spread counts pods that
// match all of them, as kube-scheduler's DefaultSelector does. A pod without any of them is not spread.
//
// Example: a pod has labels app=web and hash=1. Service "web" selects app=web; the pod's ReplicaSet selects app=web,
// hash=1. The spread counts pods with app=web, hash=1, so that a rollout spreads the new pods by themselves.
//
// Cost: each pod is compared with the selectors of its namespace.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/default_spread.h"

namespace tenon::scheduling {

void DefaultSpread::add(std::shared_ptr<const model::PodSelector> selector) {
  if (!selector->selector.empty()) by_namespace_[selector->meta.ns].push_back(std::move(selector));
}

bool DefaultSpread::apply(model::Pod& pod) const {
  if (constraints_.empty() || !pod.spec->spread.empty()) return false;
  const auto here = by_namespace_.find(pod.meta.ns);
  if (here == by_namespace_.end()) return false;
  model::LabelSelector all;
  const model::OwnerReference* owner = pod.controller();
  for (const auto& s : here->second) {
    const bool service = s->kind == "Service";
    const bool owns = !service && owner && owner->kind == s->kind && owner->name == s->meta.name;
    if (!owns && !(service && s->selector.matches(pod.meta.labels))) continue;
    all.match_labels.insert(s->selector.match_labels.begin(), s->selector.match_labels.end());
    const auto& more = s->selector.match_expressions;
    all.match_expressions.insert(all.match_expressions.end(), more.begin(), more.end());
  }
  if (all.empty()) return false;
  pod.spec.edit().spread = constraints_;
  for (model::SpreadConstraint& constraint : pod.spec.edit().spread) constraint.selector = all;
  return true;
}

}  // namespace tenon::scheduling
