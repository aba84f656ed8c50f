// Lower bounds from unit prices. Assign a price to a unit of each resource such that no row costs less than the value
// of its free amounts. Then nodes that hold given requests cost at least the value of these requests (weak duality of
// the linear programme that covers resources by rows).
//
//   rows: 16 CPU, 32 GiB, 0.68 USD/h; 16 CPU, 64 GiB, 0.768 USD/h
//   CPU alone: min(0.68, 0.768) / 16 = 0.0425 per CPU; memory alone: min(0.68 / 32, 0.768 / 64) = 0.012 per GiB
//   pods of 10 CPU and 60 GiB cost at least max(10 × 0.0425, 60 × 0.012) = 0.72
//
// The best prices depend on the mix of the requests, so several directions are prepared: each resource alone, and five
// mixes of CPU and memory. The maximum over them is the bound. If new nodes must be below a price cap, only rows below
// the cap count, and unit prices are higher: there is one list for each of up to kPriceSteps caps, each half of the one
// before. A cap uses the list of the smallest step that is not below it.
//
// needs() finds what new nodes must hold at least. First, all pods of classes that fit on no other node. Second, if
// many nodes go, what exceeds the free room of all other nodes together, resource by resource:
//
//   20 nodes go, their pods request 300 CPU and 900 GiB; the other nodes have 40 CPU and 1,000 GiB free → 260 CPU
//
// Cost: directions × rows × resources to prepare; directions × resources for a bound; pods of the nodes for needs(),
// and all nodes of the cluster if many go.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "scheduling/what_if/what_if.h"

namespace tenon::scheduling {
namespace {

constexpr int kPriceSteps = 16;
// needs() counts the room of the other nodes if more nodes than these go. A few nodes' pods nearly always find room.
constexpr size_t kFewNodes = 4;

}  // namespace

// Computes the unit prices of each direction and step. The factor below 1 covers rounding.
void WhatIf::list_unit_prices() {
  const size_t resources = problem_.resources.size();
  std::vector<std::vector<double>> directions;
  for (size_t r = 0; r < resources; ++r) {
    directions.emplace_back(resources, 0.0);
    directions.back()[r] = 1;
  }
  const size_t cpu = problem_.resource(model::kCpu), memory = problem_.resource(model::kMemory);
  if (cpu < resources && memory < resources) {
    for (const double share : {0.2, 0.35, 0.5, 0.65, 0.8}) {  // one CPU counts as much as 8 GB
      directions.emplace_back(resources, 0.0);
      directions.back()[cpu] = share / 1e3;
      directions.back()[memory] = (1 - share) / 8e9;
    }
  }
  for (const PoolProblem& pool : problem_.pools) {
    if (pool.rows.empty()) continue;
    dearest_ = std::max(dearest_, pool.rows.back().price);
    cheapest_ = cheapest_ == model::Price() ? pool.rows.front().price : std::min(cheapest_, pool.rows.front().price);
  }
  model::Price below = dearest_ + model::Price(1);
  for (int step = 0; step < kPriceSteps && below > cheapest_; ++step, below = model::Price(below.value() / 2))
    price_steps_.push_back({below, directions});
  for (size_t d = 0; d < directions.size(); ++d) {
    const std::vector<double> scales = least_prices_of_value(directions[d]);
    for (size_t step = 0; step < price_steps_.size(); ++step) {
      for (double& unit : price_steps_[step].units[d]) unit *= scales[step] * (1 - 1e-9);
    }
  }
}

// Returns, by step, the minimum price of a unit of value: of row price / value of its free amounts.
std::vector<double> WhatIf::least_prices_of_value(const std::vector<double>& units) const {
  constexpr double kNothing = std::numeric_limits<double>::infinity();
  std::vector<double> least(price_steps_.size(), kNothing);
  for (const PoolProblem& pool : problem_.pools) {
    double so_far = kNothing;
    size_t row = 0;
    for (size_t step = least.size(); step-- > 0;) {
      for (; row < pool.rows.size() && pool.rows[row].price < price_steps_[step].below; ++row) {
        const Amounts& free = pool.types[pool.rows[row].type].free;
        double value = 0;
        for (size_t r = 0; r < units.size(); ++r)
          value += units[r] * static_cast<double>(std::max<int64_t>(free[r], 0));
        if (value > 0) so_far = std::min(so_far, static_cast<double>(pool.rows[row].price.value()) / value);
      }
      least[step] = std::min(least[step], so_far);
    }
  }
  for (double& price : least) price = price == kNothing ? 0 : price;
  return least;
}

void WhatIf::add_requests(size_t pod_class, std::vector<double>& total) const {
  const Amounts& requests = problem_.classes[pod_class].requests;
  for (size_t r = 0; r < total.size(); ++r) total[r] += static_cast<double>(std::max<int64_t>(requests[r], 0));
}

// Returns true if a node outside needy_ has room for such a pod.
bool WhatIf::another_has_room(size_t pod_class) const {
  const RowSet& room = nodes_[pod_class];
  size_t& first = first_[pod_class];
  if (first != RowSet::kNone && !room.test(first)) first = room.next(first);
  size_t other = first;
  while (other != RowSet::kNone && needy_.test(other)) other = room.next(other);
  return other != RowSet::kNone;
}

WhatIf::Needs WhatIf::needs(std::span<const size_t> nodes) {
  undo();
  Needs total(problem_.resources.size(), 0.0), all = total;
  for (const size_t n : nodes) needy_.set(n);
  std::map<size_t, bool> known;  // class → some other node has room for one
  for (const size_t n : nodes) {
    for (const size_t pod : residents_[n]) {
      const size_t pod_class = problem_.pods[pod].pod_class;
      const auto [at, fresh] = known.try_emplace(pod_class, false);
      if (fresh) at->second = another_has_room(pod_class);
      if (!at->second) add_requests(pod_class, total);
      if (nodes.size() > kFewNodes) add_requests(pod_class, all);
    }
  }
  if (nodes.size() > kFewNodes) {
    RowSet others(problem_.nodes.size());
    for (const auto& [pod_class, elsewhere] : known) others |= nodes_[pod_class];
    others -= needy_;
    const Needs room = free_room(others);
    for (size_t r = 0; r < total.size(); ++r) total[r] = std::max(total[r], all[r] - room[r]);
  }
  for (const size_t n : nodes) needy_.reset(n);
  return total;
}

// Returns what is free, by resource, on these nodes together.
WhatIf::Needs WhatIf::free_room(const RowSet& nodes) const {
  Needs room(problem_.resources.size(), 0.0);
  for (size_t n = nodes.first(); n != RowSet::kNone; n = nodes.next(n)) {
    const Amounts &free = problem_.nodes[n].free, &used = state_.bins()[n].used;
    for (size_t r = 0; r < room.size(); ++r) room[r] += static_cast<double>(std::max<int64_t>(free[r] - used[r], 0));
  }
  return room;
}

model::Price WhatIf::pods_price_bound(std::span<const size_t> nodes) const {
  std::vector<double> total(problem_.resources.size(), 0.0);
  for (const size_t n : nodes) {
    for (const size_t pod : residents_[n]) add_requests(problem_.pods[pod].pod_class, total);
  }
  return value(total, {});
}

// Returns the value of these amounts at the unit prices of the last step that includes all rows below `below`.
model::Price WhatIf::value(const std::vector<double>& amounts, std::optional<model::Price> below) const {
  double most = 0;
  const PriceStep* step = nullptr;
  for (const PriceStep& s : price_steps_) {
    if (step == nullptr || (below && s.below >= *below)) step = &s;
  }
  if (step == nullptr) return {};
  for (const std::vector<double>& units : step->units) {
    double sum = 0;
    for (size_t r = 0; r < amounts.size(); ++r) sum += units[r] * amounts[r];
    most = std::max(most, sum);
  }
  return model::Price(static_cast<int64_t>(most));
}

std::vector<model::Price> WhatIf::price_steps() const {
  std::vector<model::Price> steps;
  for (const PriceStep& step : price_steps_) steps.push_back(step.below);
  return steps;
}

}  // namespace tenon::scheduling
