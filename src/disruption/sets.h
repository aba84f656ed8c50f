// Sets of candidates, as the search compares them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

using Nodes = std::vector<const Candidate*>;

model::Price price_of(const Nodes& nodes);
bool is_spot(const Candidate* node);
int64_t disturbance(const Nodes& nodes);             // in thousandths of an ordinary pod
std::vector<std::string> names(const Nodes& nodes);  // sorted
// Returns every set that the budgets allow, the most expensive first. At most 20 nodes.
std::vector<Nodes> sets_of(const Nodes& nodes, const BudgetLeft& budget);
// Returns as many of the nodes, in their order, as the budgets allow together.
Nodes within(const Nodes& nodes, BudgetLeft budget);

}  // namespace tenon::disruption
