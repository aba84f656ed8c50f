// Whether a consolidation that saves money is worth disturbing pods for: the price of a disruption, the least saving,
// and the policy Balanced. Pure. docs/disruption.md says what the annotations mean to users.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/price.h"
#include "scheduling/snapshot.h"

namespace tenon::disruption {

struct Candidate;

// On a NodePool. USD an hour that a move must save for each ordinary pod it disturbs; none by default.
inline constexpr std::string_view kDisruptionPrice = "tenon.dev/disruption-price";
// On a NodePool. USD an hour that a move which touches its nodes must save at least; none by default.
inline constexpr std::string_view kMinimumSavings = "tenon.dev/minimum-savings";

// Of one NodePool.
struct PoolWorth {
  bool balanced = false;
  model::Price pod_price;        // kDisruptionPrice
  model::Price floor;            // kMinimumSavings
  model::Price node_price;       // of one more node beside its instance
  model::Price cost;             // of all its nodes, with that
  int64_t disruption_milli = 0;  // of all its nodes
};
using Worth = std::map<std::string, PoolWorth, std::less<>>;

// Every pool's; computed once a pass. `node_price` as in SolveOptions.
Worth pool_worth(const scheduling::Snapshot& snapshot, model::Price node_price);
// What is wrong with the pool's annotations, a sentence each; what is wrong counts as absent.
std::vector<std::string> annotation_problems(const model::NodePool& pool);

// What disturbing the pods of these nodes costs, in USD an hour.
model::Price disturbance(const Worth& worth, const std::vector<const Candidate*>& nodes);
// Why a move of these nodes that gains so much (gain_of()) is not worth it, as in the Unconsolidatable event; empty if
// it is.
std::string objection(const Worth& worth, const std::vector<const Candidate*>& nodes, model::Price gain);
// Pools with the policy Balanced that such a move was weighed by → the text of their ConsolidationApproved event.
std::map<std::string, std::string> approvals(const Worth& worth, const std::vector<const Candidate*>& nodes,
                                             model::Price gain);

}  // namespace tenon::disruption
