// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/scores.h"

#include <algorithm>
#include <cmath>

#include "kubesim/scheduler/topology.h"

namespace tenon::kubesim {
namespace {

constexpr int64_t kTaintWeight = 3;
constexpr int64_t kNodeAffinityWeight = 2;
constexpr int64_t kSpreadWeight = 2;
constexpr int64_t kPodAffinityWeight = 2;
constexpr int64_t kFitWeight = 1;
constexpr int64_t kBalanceWeight = 1;
constexpr int64_t kMaxScore = 100;

int64_t least_requested(int64_t requested, int64_t allocatable) {
  return allocatable == 0 || requested > allocatable ? 0 : (allocatable - requested) * kMaxScore / allocatable;
}

double fraction(int64_t requested, int64_t allocatable) {
  return std::min(1.0, static_cast<double>(requested) / static_cast<double>(allocatable));
}

// Counts the untolerated PreferNoSchedule taints of each node; fewer is better.
std::vector<int64_t> taint_points(const PodInfo& pod, const std::vector<const NodeInfo*>& nodes) {
  std::vector<int64_t> points;
  for (const NodeInfo* node : nodes)
    points.push_back(std::count_if(node->taints.begin(), node->taints.end(), [&](const Taint& taint) {
      return taint.effect == "PreferNoSchedule" && !tolerated(pod.tolerations, taint);
    }));
  const int64_t most = *std::max_element(points.begin(), points.end());
  for (int64_t& point : points) point = most == 0 ? kMaxScore : kMaxScore - kMaxScore * point / most;
  return points;
}

std::vector<int64_t> preference_points(const PodInfo& pod, const std::vector<const NodeInfo*>& nodes) {
  if (pod.affinity.preferred.empty()) return {};
  std::vector<int64_t> points;
  for (const NodeInfo* node : nodes) points.push_back(pod.affinity.preference(node->name, node->labels()));
  const int64_t most = *std::max_element(points.begin(), points.end());
  for (int64_t& point : points) point = most == 0 ? 0 : kMaxScore * point / most;
  return points;
}

}  // namespace

int64_t least_allocated(const NodeInfo& node, const PodInfo& pod) {
  int64_t sum = 0, weights = 0;
  const auto add = [&](int64_t requested, int64_t allocatable) {
    if (allocatable == 0) return;
    sum += least_requested(requested, allocatable);
    ++weights;
  };
  add(node.score_cpu + pod.score_cpu, node.allocatable.cpu);
  add(node.score_memory + pod.score_memory, node.allocatable.memory);
  return weights == 0 ? 0 : sum / weights;
}

int64_t balanced_allocation(const NodeInfo& node, const PodInfo& pod) {
  if (node.allocatable.cpu == 0 || node.allocatable.memory == 0) return kMaxScore;
  const double cpu = fraction(node.requested.cpu + pod.requests.cpu, node.allocatable.cpu);
  const double memory = fraction(node.requested.memory + pod.requests.memory, node.allocatable.memory);
  return static_cast<int64_t>((1 - std::abs(cpu - memory) / 2) * static_cast<double>(kMaxScore));
}

std::vector<int64_t> score(const ClusterCache& cache, const PodInfo& pod, const std::vector<const NodeInfo*>& nodes) {
  std::vector<int64_t> total(nodes.size(), 0);
  const auto add = [&](const std::vector<int64_t>& points, int64_t weight) {
    for (size_t i = 0; i < points.size(); ++i) total[i] += weight * points[i];
  };
  add(taint_points(pod, nodes), kTaintWeight);
  add(preference_points(pod, nodes), kNodeAffinityWeight);
  add(spread_points(cache, pod, nodes), kSpreadWeight);
  add(affinity_points(cache, pod, nodes), kPodAffinityWeight);
  for (size_t i = 0; i < nodes.size(); ++i)
    total[i] += kFitWeight * least_allocated(*nodes[i], pod) + kBalanceWeight * balanced_allocation(*nodes[i], pod);
  return total;
}

}  // namespace tenon::kubesim
