// SPDX-License-Identifier: Apache-2.0
#include "controllers/pod_times.h"

#include <algorithm>
#include <string_view>

namespace tenon::controllers {
namespace {

using metrics::Detail;

double elapsed_seconds(Duration d) { return std::chrono::duration<double>(std::max(d, Duration::zero())).count(); }

metrics::Histogram& durations(metrics::Registry& registry, const char* name, const char* help) {
  return registry.histogram({name, help}, metrics::duration_buckets());
}

// The sum over pods has no meaning, so that these exist at full detail only.
metrics::Gauge& of_pods(metrics::Registry& registry, const char* name, const char* help) {
  return registry.gauge({name, help, {}, {"name", "namespace"}, Detail::kFull});
}

// Returns when the condition became True; std::nullopt: it is not.
std::optional<Instant> since(const model::Pod& pod, std::string_view type) {
  const model::Condition* condition = model::find_condition(pod.conditions, type);
  if (!condition || condition->status != "True") return std::nullopt;
  return condition->last_transition;
}

}  // namespace

PodTimes::PodTimes(metrics::Registry& registry)
    : decision_(durations(registry, "karpenter_pods_scheduling_decision_duration_seconds",
                          "Seconds from the first observation of a pending pod to the first decision about it.")),
      bound_(durations(registry, "karpenter_pods_bound_duration_seconds",
                       "Seconds from the creation of a pod to its binding.")),
      provisioning_bound_(durations(registry, "karpenter_pods_provisioning_bound_duration_seconds",
                                    "Seconds from the first decision that found a place for a pod to its binding.")),
      provisioning_startup_(durations(registry, "karpenter_pods_provisioning_startup_duration_seconds",
                                      "Seconds from the first decision that found a place for a pod until it is "
                                      "ready.")),
      startup_(registry.summary(
          {"karpenter_pods_startup_duration_seconds", "Seconds from the creation of a pod until it is ready."})),
      startup_v027_(registry.summary({"karpenter_pods_startup_time_seconds",
                                      "Seconds from the creation of a pod until it is ready. Of Karpenter v0.27."})),
      unstarted_(of_pods(registry, "karpenter_pods_unstarted_time_seconds",
                         "Seconds since the creation of a pod that is not ready yet.")),
      unbound_(of_pods(registry, "karpenter_pods_unbound_time_seconds",
                       "Seconds since the creation of a pod that is not bound yet.")),
      provisioning_unstarted_(of_pods(registry, "karpenter_pods_provisioning_unstarted_time_seconds",
                                      "Seconds since the first decision that found a place for a pod that is not "
                                      "ready yet.")),
      provisioning_unbound_(of_pods(registry, "karpenter_pods_provisioning_unbound_time_seconds",
                                    "Seconds since the first decision that found a place for a pod that is not bound "
                                    "yet.")),
      undecided_(of_pods(registry, "karpenter_pods_provisioning_scheduling_undecided_time_seconds",
                         "Seconds since a pending pod was observed about which nothing is decided yet.")) {}

void PodTimes::bound(Entry& entry, Instant at) {
  entry.bound = true;
  bound_.observe(elapsed_seconds(at - entry.created));
  if (entry.placed) provisioning_bound_.observe(elapsed_seconds(at - *entry.placed));
}

void PodTimes::started(const Entry& entry, Instant at) {
  startup_.observe(elapsed_seconds(at - entry.created));
  startup_v027_.observe(elapsed_seconds(at - entry.created));
  if (entry.placed) provisioning_startup_.observe(elapsed_seconds(at - *entry.placed));
}

void PodTimes::changed(const std::string& key, const model::Pod* pod, Instant now) {
  const std::lock_guard lock(mutex_);
  if (!pod || pod->terminal()) {
    waiting_.erase(key);
    return;
  }
  const auto ready = since(*pod, "Ready");
  auto at = waiting_.find(key);
  if (at == waiting_.end()) {
    if (ready || pod->phase != "Pending") return;
    at = waiting_.emplace(key, Entry{.created = pod->meta.created_at, .bound = !pod->node_name.empty()}).first;
  }
  Entry& entry = at->second;
  if (!entry.acknowledged && pod->provisionable()) entry.acknowledged = now;
  if (!entry.bound && !pod->node_name.empty()) bound(entry, since(*pod, "PodScheduled").value_or(now));
  if (!ready) return;
  started(entry, *ready);
  waiting_.erase(at);
}

void PodTimes::decided(const std::string& key, bool placed, Instant now) {
  const std::lock_guard lock(mutex_);
  const auto at = waiting_.find(key);
  if (at == waiting_.end()) return;
  Entry& entry = at->second;
  if (!entry.decided) {
    entry.decided = now;
    if (entry.acknowledged) decision_.observe(elapsed_seconds(now - *entry.acknowledged));
  }
  if (placed && !entry.placed) entry.placed = now;
}

void PodTimes::show(Instant now) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : waiting_) {
    const size_t slash = key.find('/');
    const metrics::Labels labels{{"name", key.substr(slash + 1)}, {"namespace", key.substr(0, slash)}};
    unstarted_.set(labels, elapsed_seconds(now - entry.created));
    if (!entry.bound) unbound_.set(labels, elapsed_seconds(now - entry.created));
    if (entry.placed) {
      provisioning_unstarted_.set(labels, elapsed_seconds(now - *entry.placed));
      if (!entry.bound) provisioning_unbound_.set(labels, elapsed_seconds(now - *entry.placed));
    }
    if (entry.acknowledged && !entry.decided) undecided_.set(labels, elapsed_seconds(now - *entry.acknowledged));
  }
}

void PodTimes::hide() {
  for (metrics::Gauge* gauge :
       {&unstarted_, &unbound_, &provisioning_unstarted_, &provisioning_unbound_, &undecided_}) {
    gauge->remove_matching({});
  }
}

size_t PodTimes::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace tenon::controllers
