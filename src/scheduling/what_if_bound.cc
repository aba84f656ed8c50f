// What must at least be paid for pods, so that a WhatIf need not be asked.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "scheduling/what_if.h"

namespace tenon::scheduling {
namespace {

constexpr int kPriceSteps = 16;

}  // namespace

// Prices for one unit of each resource at which no row is sold below the value of what it holds. Whatever holds given
// requests then costs at least their value. Of what costs little the prices are higher: one list for each step.
void WhatIf::list_unit_prices() {
  const size_t resources = problem_.resources.size();
  std::vector<std::vector<double>> directions;
  for (size_t r = 0; r < resources; ++r) {
    directions.emplace_back(resources, 0.0);
    directions.back()[r] = 1;
  }
  const size_t cpu = problem_.resource(model::kCpu), memory = problem_.resource(model::kMemory);
  if (cpu < resources && memory < resources) {
    for (const double share : {0.2, 0.35, 0.5, 0.65, 0.8}) {  // a core is worth about 8 GB
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

// By step: what one unit of value costs at least.
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

// Some node has room for such a pod that is not among those asked about.
bool WhatIf::another_has_room(size_t pod_class) const {
  const RowSet& room = nodes_[pod_class];
  size_t& first = first_[pod_class];
  if (first != RowSet::kNone && !room.test(first)) first = room.next(first);
  size_t other = first;
  while (other != RowSet::kNone && needy_.test(other)) other = room.next(other);
  return other != RowSet::kNone;
}

WhatIf::Needs WhatIf::needs(std::span<const size_t> nodes) const {
  Needs total(problem_.resources.size(), 0.0);
  for (const size_t n : nodes) needy_.set(n);
  std::map<size_t, bool> known;  // class → some other node has room for one
  for (const size_t n : nodes) {
    for (const size_t pod : residents_[n]) {
      const size_t pod_class = problem_.pods[pod].pod_class;
      const auto [at, fresh] = known.try_emplace(pod_class, false);
      if (fresh) at->second = another_has_room(pod_class);
      if (!at->second) add_requests(pod_class, total);
    }
  }
  for (const size_t n : nodes) needy_.reset(n);
  return total;
}

model::Price WhatIf::worth(std::span<const size_t> nodes) const {
  std::vector<double> total(problem_.resources.size(), 0.0);
  for (const size_t n : nodes) {
    for (const size_t pod : residents_[n]) add_requests(problem_.pods[pod].pod_class, total);
  }
  return value(total, {});
}

// At the prices of the last step that leaves out nothing that costs less than `below`.
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
