// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/pod_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/actors/kinds.h"
#include "kubesim/actors/write.h"
#include "kubesim/kubelet/pod_status.h"

namespace tenon::kubesim {
namespace {

// Pod addresses are in 100.64.0.0/10. They repeat after four million pods.
constexpr uint32_t kPodNetwork = (100u << 24) | (64u << 16);
constexpr uint32_t kPodAddresses = (1u << 22) - 2;

std::string dotted(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255, address & 255);
}

bool runs_to_completion(const json::value& pod) {
  const json::value* owner = controller_of(pod);
  return owner != nullptr && json::string_at(*owner, {"kind"}) == "Job";
}

}  // namespace

std::string PodRunner::next_pod_ip() { return dotted(kPodNetwork + 1 + addresses_++ % kPodAddresses); }

Duration PodRunner::delay(const Pod& pod, std::string_view stage, Duration otherwise) const {
  const std::string name = fmt::format("{}.stage.kwok.x-k8s.io/delay", stage);
  return parse_go_duration(annotation(*pod.object, name)).value_or(otherwise);
}

void PodRunner::event(const Pod& pod, std::string_view reason, std::string_view verb) {
  if (!options_.pod_events) return;
  for (const json::value& container : json::array_at(*pod.object, {"spec", "containers"})) {
    const std::string_view name = json::string_at(container, {"name"});
    const std::string text = reason == "Pulled" ? fmt::format("Container image \"{}\" already present on machine",
                                                              json::string_at(container, {"image"}))
                                                : fmt::format("{} {}", verb, name);
    api_.record_event(*pod.object, "Normal", reason, text, "kubelet");
  }
}

void PodRunner::on_pod(const WatchEvent& event) {
  const ObjectKey key = key_of(*event.object);
  const std::string node(node_name_of(*event.object));
  const auto known = pods_.find(key);
  const bool other = known != pods_.end() && uid_of(*known->second.object) != uid_of(*event.object);
  if (known != pods_.end() && (other || event.type == WatchEvent::Type::kDeleted)) {
    by_node_[known->second.node].erase(key);
    pods_.erase(known);
  }
  if (event.type == WatchEvent::Type::kDeleted || node.empty()) return;
  Pod& pod = pods_[key];
  pod.object = event.object;
  pod.node = node;
  by_node_[node].insert(key);
  advance(pod);
}

void PodRunner::on_node(const std::string& node) {
  const auto at = by_node_.find(node);
  if (at == by_node_.end()) return;
  if (at->second.empty()) {
    by_node_.erase(at);
    return;
  }
  for (const ObjectKey& key : at->second)
    if (Pod& pod = pods_.at(key); pod.stage == Stage::kNew || is_deleting(*pod.object)) advance(pod);
}

// Takes the next step that the states of the pod and its node allow.
void PodRunner::advance(Pod& pod) {
  if (!machines_.alive(pod.node) || pod.stage == Stage::kStopping) return;
  const ObjectKey key = key_of(*pod.object);
  const std::string uid(uid_of(*pod.object));
  if (is_deleting(*pod.object)) {
    const Duration grace = std::chrono::seconds(json::int_at(*pod.object, {"metadata", "deletionGracePeriodSeconds"}));
    pod.stage = Stage::kStopping;
    event(pod, "Killing", "Stopping container");
    timers_.add(runtime_.now() + std::min(grace, delay(pod, "pod-delete", options_.pod_stop)),
                {key, uid, Todo::Step::kStop});
    return;
  }
  if (pod.stage != Stage::kNew || pod_is_terminal(*pod.object) || !machines_.ready(pod.node)) return;
  start(pod);
  timers_.add(runtime_.now() + delay(pod, "pod-ready", options_.pod_start), {key, uid, Todo::Step::kRun});
}

void PodRunner::tick(Instant now) {
  while (const auto todo = timers_.pop(now)) {
    const auto at = pods_.find(todo->key);
    if (at == pods_.end() || uid_of(*at->second.object) != todo->uid || !machines_.alive(at->second.node)) continue;
    switch (todo->step) {
      case Todo::Step::kRun: run(at->second); break;
      case Todo::Step::kComplete: complete(at->second); break;
      case Todo::Step::kStop: stop(at->second); break;
    }
  }
}

// In each step, a failed write means that the pod was deleted or changed; the watch then reports the change.
void PodRunner::start(Pod& pod) {
  pod.stage = Stage::kCreating;
  const std::string host = machines_.host_ip(pod.node);
  (void)write(api_, {kPods, "status"}, pod.object,
              [&](json::value& object) { return set_creating(object, {host, {}}, runtime_.now()); });
}

void PodRunner::run(Pod& pod) {
  if (pod.stage != Stage::kCreating || is_deleting(*pod.object)) return;
  pod.stage = Stage::kRunning;
  const std::string host = machines_.host_ip(pod.node);
  const std::string ip = json::bool_at(*pod.object, {"spec", "hostNetwork"}) ? host : next_pod_ip();
  event(pod, "Pulled", "");
  event(pod, "Created", "Created container:");
  event(pod, "Started", "Started container");
  (void)write(api_, {kPods, "status"}, pod.object,
              [&](json::value& object) { return set_running(object, {host, ip}, runtime_.now()); });
  if (runs_to_completion(*pod.object))
    timers_.add(runtime_.now() + delay(pod, "pod-complete", options_.pod_run),
                {key_of(*pod.object), std::string(uid_of(*pod.object)), Todo::Step::kComplete});
}

void PodRunner::complete(Pod& pod) {
  if (pod.stage != Stage::kRunning) return;
  (void)write(api_, {kPods, "status"}, pod.object,
              [&](json::value& object) { return set_ended(object, true, runtime_.now()); });
}

void PodRunner::stop(Pod& pod) {
  const Object object = pod.object;
  // Finalizers keep the object, so its status must report that no container runs.
  if (!json::array_at(*object, {"metadata", "finalizers"}).empty())
    (void)write(api_, {kPods, "status"}, object,
                [&](json::value& target) { return set_ended(target, false, runtime_.now()); });
  DeleteOptions options;
  options.grace_period_seconds = 0;
  options.uid = uid_of(*object);
  (void)api_.remove(kPods, namespace_of(*object), name_of(*object), options);
}

}  // namespace tenon::kubesim
