// The scores of a Forecast: integers, computed as kube-scheduler's score plugins do by default. A node's score is the
// sum of three terms. Other plugins (preferred affinity, taints, images) are left out.
//
//   LeastAllocated       mean of the shares of CPU and memory that the node has free with the pod, × 100
//   BalancedAllocation   100 × (1 − |share of CPU − share of memory| / 2)
//   PodTopologySpread    weight 2, with the default constraints by hostname and by zone
//
// Example for the first two: a node of 8 CPU and 32 GiB has 4 CPU and 24 GiB free with the pod, shares 0.5 and 0.75.
// They give (50 + 75) / 2 = 62 and 100 × (1 − 0.25 / 2) = 87 points.
//
// The spread concerns pods with a controller and without a spread of their own. For the host and the zone of a node it
// adds: pods of the controller there × ln(hosts or zones of all candidates + 2) + maxSkew − 1. The sum s becomes 100 ×
// (max + min − s) / max points over the candidates. Example: n1 and n2 are in zone a, n3 is in zone b, and n1 has 2
// pods of the controller. The sums are 12, 9 and 6; the points are 50, 75 and 100, and count twice.
//
// Cost: constant for a node and a pod, beside counting the pods that the forecast placed on the node.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "model/labels.h"
#include "scheduling/what_if/forecast.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kMostPoints = 100;  // of each score
constexpr int64_t kSpreadWeight = 2;
constexpr int kHostSkew = 3, kZoneSkew = 5;  // maxSkew of kube-scheduler's default constraints

}  // namespace

const Forecast::Shape& Forecast::shape(size_t index) {
  Shape& shape = shapes_[index];
  if (shape.known) return shape;
  const Bin& bin = state_.bins()[index];
  const Problem& problem = state_.problem();
  model::Resources allocatable;
  if (bin.fresh()) {
    const PoolProblem& pool = problem.pools[static_cast<size_t>(bin.pool)];
    allocatable = pool.types[pool.rows[bin.row].type].type->allocatable();
    shape.zone = zone(pool.rows[bin.row].offering->zone);
  } else {
    const NodeView& node = *problem.nodes[static_cast<size_t>(bin.node)].view;
    allocatable = node.allocatable();
    shape.zone = zone(model::lookup(node.labels(), model::kLabelZone));
    std::vector<int> owners;
    for (const PodPtr& pod : node.pods) {
      const auto* owner = pod->controller();
      const auto at = owner == nullptr ? owners_.end() : owners_.find(owner->uid);
      if (at != owners_.end()) owners.push_back(at->second);
    }
    std::sort(owners.begin(), owners.end());
    for (const int owner : owners) {
      if (shape.pods.empty() || shape.pods.back().first != owner) shape.pods.emplace_back(owner, 0);
      ++shape.pods.back().second;
    }
    shape.pods.shrink_to_fit();
  }
  shape.cpu = static_cast<double>(allocatable.get(model::kCpu));
  shape.memory = static_cast<double>(allocatable.get(model::kMemory));
  shape.known = true;
  return shape;
}

int Forecast::alike(size_t index, int owner) {
  if (owner == kNone) return 0;
  const auto& pods = shape(index).pods;
  const auto there = std::lower_bound(pods.begin(), pods.end(), std::pair(owner, 0));
  const auto& placed = state_.bins()[index].placed;
  return (there == pods.end() || there->first != owner ? 0 : there->second) +
         static_cast<int>(std::count_if(placed.begin(), placed.end(),
                                        [&](const Placed& other) { return owner_of_[other.pod] == owner; }));
}

// parity: kube-scheduler's NodeResourcesFit (LeastAllocated) and NodeResourcesBalancedAllocation with default weights
int Forecast::room_score(size_t index, const PodClass& c) {
  const Bin& bin = state_.bins()[index];
  const Problem& problem = state_.problem();
  const Amounts* free = nullptr;
  if (bin.fresh()) {
    const PoolProblem& pool = problem.pools[static_cast<size_t>(bin.pool)];
    free = &pool.types[pool.rows[bin.row].type].free;
  } else {
    free = &problem.nodes[static_cast<size_t>(bin.node)].free;
  }
  const auto left = [&](size_t i, double size) {
    if (i == free->size() || size <= 0) return 0.0;
    return static_cast<double>((*free)[i] - bin.used[i] - c.requests[i]) / size;
  };
  const double cpu = left(cpu_, shape(index).cpu), memory = left(memory_, shape(index).memory);
  const auto points = [](double share) { return static_cast<int>(share * kMostPoints); };
  return (points(cpu) + points(memory)) / 2 + points(1 - std::abs(cpu - memory) / 2);
}

// parity: kube-scheduler's PodTopologySpread with its default constraints by hostname and by zone
void Forecast::score_spread(int owner) {
  const std::vector<int>& in_zone = in_zone_[static_cast<size_t>(owner)];
  zones_seen_.assign(zones_.size(), 0);
  for (const Candidate& candidate : candidates_) {
    if (candidate.zone != kNone) zones_seen_[static_cast<size_t>(candidate.zone)] = 1;
  }
  const auto weight = [](auto domains) { return std::log(static_cast<double>(domains) + 2); };
  const double by_host = weight(candidates_.size());
  const double by_zone = weight(std::count(zones_seen_.begin(), zones_seen_.end(), 1));
  for (const Candidate& candidate : candidates_) {
    double points = candidate.alike * by_host + kHostSkew - 1;
    if (candidate.zone != kNone) {
      const auto zone = static_cast<size_t>(candidate.zone);
      points += (zone < in_zone.size() ? in_zone[zone] : 0) * by_zone + kZoneSkew - 1;
    }
    spread_scores_.push_back(static_cast<int64_t>(points + 0.5));  // rounds: points are 2 at least
  }
  const auto [least, most] = std::minmax_element(spread_scores_.begin(), spread_scores_.end());
  const int64_t low = *least, high = *most;
  for (int64_t& score : spread_scores_) score = kMostPoints * (high + low - score) / high;
}

size_t Forecast::best(int owner, bool spread, Prng* draw) {
  spread_scores_.clear();
  if (spread && owner != kNone) score_spread(owner);
  size_t best = 0, equals = 0;
  int64_t highest = 0;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const int64_t here = candidates_[i].room + (spread_scores_.empty() ? 0 : kSpreadWeight * spread_scores_[i]);
    if (i > 0 && here < highest) continue;
    equals = i > 0 && here == highest ? equals + 1 : 1;
    if (equals == 1 || (draw != nullptr && draw->below(equals) == 0)) best = i;
    highest = here;
  }
  return best;
}

}  // namespace tenon::scheduling
