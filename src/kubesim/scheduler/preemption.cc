// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/preemption.h"

#include <algorithm>
#include <tuple>

namespace tenon::kubesim {
namespace {

bool has_room(const PodInfo& pod, const NodeInfo& node, const Amounts& used, size_t pods) {
  const auto fits = [](int64_t wanted, int64_t have, int64_t of) { return wanted == 0 || wanted <= of - have; };
  return static_cast<int64_t>(pods) < node.allocatable.pods && fits(pod.requests.cpu, used.cpu, node.allocatable.cpu) &&
         fits(pod.requests.memory, used.memory, node.allocatable.memory) &&
         fits(pod.requests.ephemeral, used.ephemeral, node.allocatable.ephemeral) &&
         std::all_of(
             pod.requests.others.begin(), pod.requests.others.end(),
             [&](const auto& entry) {
               return fits(entry.second, used.get(entry.first), node.allocatable.get(entry.first));
             });
}

bool ports_collide(const PodInfo& pod, const PodInfo& other) {
  for (const HostPort& wanted : pod.ports)
    for (const HostPort& used : other.ports)
      if (wanted.conflicts(used)) return true;
  return false;
}

// Removes all pods of lower priority, then keeps each one, highest priority first, if the pod still fits.
std::optional<std::vector<std::shared_ptr<const PodInfo>>> victims_on(const PodInfo& pod, const NodeInfo& node) {
  std::vector<std::shared_ptr<const PodInfo>> lower;
  Amounts used = node.requested;
  size_t count = node.pods.size();
  for (const auto& [key, other] : node.pods) {
    if (other->priority >= pod.priority) {
      if (ports_collide(pod, *other)) return std::nullopt;
      continue;
    }
    lower.push_back(other);
    used -= other->requests;
    --count;
  }
  if (lower.empty() || !has_room(pod, node, used, count)) return std::nullopt;
  std::stable_sort(lower.begin(), lower.end(), [](const auto& a, const auto& b) { return a->priority > b->priority; });
  std::vector<std::shared_ptr<const PodInfo>> victims;
  for (const auto& other : lower) {
    Amounts with = used;
    with += other->requests;
    if (!ports_collide(pod, *other) && has_room(pod, node, with, count + 1)) {
      used = with;
      ++count;
    } else {
      victims.push_back(other);
    }
  }
  std::reverse(victims.begin(), victims.end());
  if (victims.empty()) return std::nullopt;  // the node has room: another filter rejects the pod
  return victims;
}

}  // namespace

std::optional<Preemption> find_preemption(const PodInfo& pod, const std::vector<const NodeInfo*>& nodes) {
  std::optional<Preemption> best;
  std::tuple<int64_t, int64_t, size_t, std::string_view> best_rank;
  for (const NodeInfo* node : nodes) {
    auto victims = victims_on(pod, *node);
    if (!victims) continue;
    int64_t sum = 0;
    for (const auto& victim : *victims) sum += victim->priority;
    const std::tuple<int64_t, int64_t, size_t, std::string_view> rank{victims->back()->priority, sum, victims->size(),
                                                                      node->name};
    if (best && !(rank < best_rank)) continue;
    best = Preemption{node->name, std::move(*victims)};
    best_rank = rank;
  }
  return best;
}

}  // namespace tenon::kubesim
