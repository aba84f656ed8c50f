// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/eviction.h"

#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "model/pod_started.h"

namespace tenon::scheduling {

Refusal refusal_of(const model::Pod& pod, Instant now) {
  using Kind = Refusal::Kind;
  const std::string_view text = model::lookup(pod.meta.annotations, model::kAnnotationDoNotDisrupt);
  if (text.empty() || pod.terminal() || pod.meta.deleting()) return {};
  if (text == "true") return {Kind::kAlways, {}};
  const auto span = parse_go_duration(text);
  if (!span || *span <= Duration(0)) return {Kind::kInvalid, {}};
  const auto* started = model::find_condition(pod.conditions, model::kPodStarted);
  if (!started) return {Kind::kUntil, {}};
  const Instant until = started->last_transition + *span;
  return {now < until ? Kind::kUntil : Kind::kElapsed, until};
}

bool refuses_disruption(const model::Pod& pod, Instant now) {
  const Refusal::Kind kind = refusal_of(pod, now).kind;
  return kind == Refusal::Kind::kAlways || kind == Refusal::Kind::kUntil;
}

bool do_not_evict(const model::Pod& pod, std::string_view pool) {
  return model::is_provisioner(pool) && !pod.terminal() && !pod.meta.deleting() && !pod.owned_by_node() &&
         model::lookup(pod.meta.annotations, model::kAnnotationDoNotEvict) == "true";
}

bool evictable(const model::Pod& pod, Instant now) {
  static const model::Taint disrupted{std::string(model::kTaintDisrupted), "", "NoSchedule", std::nullopt};
  if (pod.terminal() || pod.meta.deleting() || pod.owned_by_node() || refuses_disruption(pod, now)) return false;
  return model::first_untolerated({disrupted}, pod.spec->tolerations) != nullptr;
}

bool reschedulable(const model::Pod& pod) {
  if (pod.terminal() || pod.owned_by_daemon_set() || pod.owned_by_node()) return false;
  const auto& owners = pod.meta.owners;
  const bool stateful =
      std::any_of(owners.begin(), owners.end(), [](const auto& owner) { return owner.kind == "StatefulSet"; });
  return !pod.meta.deleting() || stateful;
}

bool leaves_draining_node(const Snapshot& snapshot, const model::Pod& pod) {
  if (!reschedulable(pod)) return false;
  if (pod.meta.deleting()) return true;  // of a StatefulSet, which creates another one
  if (refuses_disruption(pod, snapshot.now)) return false;
  if (const NodeView* node = snapshot.node(pod.node_name); node && do_not_evict(pod, node->pool())) return false;
  if (!evictable(pod, snapshot.now)) return true;
  int covering = 0;
  bool never = false;
  for (const auto& budget : snapshot.disruption_budgets) {
    const bool covers =
        budget->meta.ns == pod.meta.ns && budget->selector && budget->selector->matches(pod.meta.labels);
    if (!covers) continue;
    ++covering;
    const bool unhealthy_may_go =
        budget->always_allow_unhealthy && model::condition_is(pod.conditions, "Ready", "False");
    never |= budget->never_allows && !unhealthy_may_go;
  }
  return covering < 2 && !never;
}

bool leaves_if_removed(const Snapshot& snapshot, const NodeView& node, const model::Pod& pod) {
  return node.deleting() ? leaves_draining_node(snapshot, pod) : reschedulable(pod);
}

}  // namespace tenon::scheduling
