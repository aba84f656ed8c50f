// SPDX-License-Identifier: Apache-2.0
#include "disruption/sets.h"

#include <algorithm>

#include "base/check.h"
#include "model/labels.h"

namespace tenon::disruption {

model::Price price_of(const Nodes& nodes) {
  model::Price sum;
  for (const Candidate* candidate : nodes) sum += candidate->price;
  return sum;
}

bool is_spot(const Candidate* node) {
  return model::lookup(node->node->labels(), model::kLabelCapacityType) == model::kCapacitySpot;
}

int64_t disturbance(const Nodes& nodes) {
  int64_t sum = 0;
  for (const Candidate* candidate : nodes) sum += candidate->cost_milli;
  return sum;
}

std::vector<std::string> names(const Nodes& nodes) {
  std::vector<std::string> all;
  for (const Candidate* candidate : nodes) all.push_back(candidate->name());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Nodes> sets_of(const Nodes& nodes, const BudgetLeft& budget) {
  CHECK(nodes.size() <= 20, "sets double with each node");
  std::vector<Nodes> sets;
  for (uint32_t bits = 1; bits < (1U << nodes.size()); ++bits) {
    Nodes set;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (bits >> i & 1) set.push_back(nodes[i]);
    }
    if (budget.allows(set)) sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(), [](const Nodes& a, const Nodes& b) { return price_of(a) > price_of(b); });
  return sets;
}

Nodes within(const Nodes& nodes, BudgetLeft budget) {
  Nodes some;
  for (const Candidate* candidate : nodes) {
    if (budget.left(candidate->node->pool()) == 0) continue;
    budget.take(*candidate);
    some.push_back(candidate);
  }
  return some;
}

}  // namespace tenon::disruption
