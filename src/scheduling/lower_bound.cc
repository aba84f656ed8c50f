// A lower bound by one resource at a time: in any node the pods' shares of a resource sum to at most one, so a pod that
// asks for r of it pays at least r times the cheapest price per unit among the rows it may use. The best resource
// counts. Room on nodes that are there is given to the pods that would pay most.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "scheduling/problem.h"

namespace tenon::scheduling {
namespace {

constexpr double kRoundingSlack = 1e-9;  // sums of doubles may exceed the exact sum by less than this share

// The least price for one unit of the resource; zero if the pods need buy nothing.
double unit_price(const Problem& problem, const PodClass& c, size_t resource) {
  double least = INFINITY;
  for (const Form& form : c.forms) {
    for (const Variant& variant : form.variants) {
      for (size_t p = 0; p < problem.pools.size(); ++p) {
        const PoolProblem& pool = problem.pools[p];
        const RowSet& rows = variant.rows[p];
        for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
          const auto free = static_cast<double>(pool.types[pool.rows[r].type].free[resource]);
          least = std::min(least, static_cast<double>(pool.rows[r].price.value()) / free);
        }
      }
    }
  }
  return std::isfinite(least) ? least : 0;
}

}  // namespace

model::Price lower_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  const Problem problem = compile(snapshot, options);
  double best = 0;
  for (size_t resource = 0; resource < problem.resources.size(); ++resource) {
    std::vector<std::pair<double, double>> demand;  // price per unit, units
    for (const PodClass& c : problem.classes) {
      if (c.forms.empty() || c.requests[resource] <= 0) continue;
      const auto placed = std::count_if(c.pods.begin(), c.pods.end(), [&](size_t pod) {
        return !solution.unschedulable.contains(problem.pods[pod].pod->key());
      });
      demand.emplace_back(unit_price(problem, c, resource),
                          static_cast<double>(c.requests[resource]) * static_cast<double>(placed));
    }
    double room = 0;
    for (const NodeProblem& node : problem.nodes)
      room += static_cast<double>(std::max<int64_t>(0, node.free[resource]));
    std::sort(demand.rbegin(), demand.rend());
    double sum = 0;
    for (const auto& [price, units] : demand) {
      const double absorbed = std::min(room, units);
      room -= absorbed;
      sum += price * (units - absorbed);
    }
    best = std::max(best, sum);
  }
  return model::Price(static_cast<int64_t>(best * (1 - kRoundingSlack)));
}

model::Price lower_bound(const Snapshot& snapshot, const SolveOptions& options) {
  return lower_bound(snapshot, options, solve(snapshot, options));
}

}  // namespace tenon::scheduling
