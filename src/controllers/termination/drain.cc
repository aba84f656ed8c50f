// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/drain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "log/messages.h"
#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/input/eviction.h"

namespace tenon::controllers::termination {
namespace {

using model::Pod;

bool critical(const Pod& pod) {
  return pod.spec->priority_class_name == "system-cluster-critical" ||
         pod.spec->priority_class_name == "system-node-critical";
}

// Tiers in the order of their eviction.
size_t tier(const Pod& pod) { return (critical(pod) ? 2u : 0u) + (pod.owned_by_daemon_set() ? 1u : 0u); }

std::string eviction_reason(const View& view) {
  const auto* c = view.claim ? model::find_condition(view.claim->conditions, model::kDisruptionReason) : nullptr;
  return c && !c->reason.empty() ? c->reason : "Forceful Termination";
}

// True if the pod is deleted rather than evicted, so that it ends before the Node's deadline.
bool forced(const Pod& pod, std::optional<Instant> deadline, Instant now) {
  if (!deadline) return false;
  if (pod.meta.deleted_at) return *pod.meta.deleted_at > *deadline;
  return pod.spec->termination_grace_seconds &&
         now > *deadline - std::chrono::seconds(*pod.spec->termination_grace_seconds);
}

// Formats a time as Go prints it: "2026-11-20 23:15:36 +0000 UTC".
std::string go_time(Instant t) {
  std::string text = format_rfc3339(t);
  text[text.find('T')] = ' ';
  text.pop_back();
  return text + " +0000 UTC";
}

void force(const Pod& pod, const View& view, Instant deadline, plan::Plan& plan) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - view.now).count();
  const int64_t granted = std::max<int64_t>(left, 1);
  plan.event(
      plan::pod_ref(pod.meta), "Normal", "Disrupted",
      fmt::format("Deleting the pod to accommodate the terminationTime {} of the node. The pod was granted {} "
                  "seconds of grace-period of its {} terminationGracePeriodSeconds. This bypasses the PDB of the "
                  "pod and the do-not-disrupt annotation.",
                  go_time(deadline), granted, pod.spec->termination_grace_seconds.value_or(0)));
  plan.add(plan::DeletePod{pod.meta.ns, pod.meta.name, pod.meta.uid, granted, eviction_reason(view)});
  log::Fields about{.node = view.node.meta.name};
  about.more = {{log::Key::kPod, log::Object{{"name", pod.meta.name}, {"namespace", pod.meta.ns}}},
                {log::Key::kReason, eviction_reason(view)}};
  plan.log.push_back(log::step(log::kDeletingPod, std::move(about)));
}

}  // namespace

const model::Taint& disrupted() {
  static const model::Taint taint{std::string(model::kTaintDisrupted), "", "NoSchedule", std::nullopt};
  return taint;
}

std::optional<Instant> deadline_of(const View& view) {
  if (!view.claim) return std::nullopt;
  return parse_rfc3339(model::lookup(view.claim->meta.annotations, model::kAnnotationTerminationTimestamp));
}

bool drainable(const Pod& pod, Instant now) {
  if (pod.terminal() || pod.owned_by_node()) return false;
  for (const auto& toleration : pod.spec->tolerations) {
    if (toleration.tolerates(disrupted())) return false;
  }
  return !(pod.meta.deleted_at && now > *pod.meta.deleted_at + kStuckAfter);
}

size_t drain(const View& view, plan::Plan& plan) {
  std::array<std::vector<const Pod*>, 4> tiers;
  const auto deadline = deadline_of(view);
  size_t waiting = 0;
  for (const auto& pod : view.pods) {
    if (!drainable(*pod, view.now)) continue;
    ++waiting;
    if (forced(*pod, deadline, view.now)) {
      plan.begin_group();
      force(*pod, view, *deadline, plan);
    } else {
      tiers[tier(*pod)].push_back(pod.get());
    }
  }
  const auto next = std::find_if(tiers.begin(), tiers.end(), [](const auto& pods) { return !pods.empty(); });
  if (next == tiers.end()) return waiting;
  for (const Pod* pod : *next) {
    const bool stays = scheduling::refuses_disruption(*pod, view.now) ||
                       scheduling::do_not_evict(*pod, model::pool_of(view.node.meta.labels));
    if (pod->meta.deleting() || stays) continue;
    if (const auto at = view.not_before.find(pod->meta.uid); at != view.not_before.end() && view.now < at->second) {
      plan.requeue_after(at->second - view.now);
      continue;
    }
    plan.begin_group();
    plan.add(plan::EvictPod{plan::pod_ref(pod->meta), plan::ref(view.node), eviction_reason(view)});
  }
  return waiting;
}

}  // namespace tenon::controllers::termination
