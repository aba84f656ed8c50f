// Decides whether the gain of a consolidation justifies the disruption of pods: by the price of a disruption, the
// minimum savings, and the policy Balanced. Pure. docs/disruption.md documents the annotations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/price.h"
#include "scheduling/input/snapshot.h"

namespace tenon::disruption {

struct Candidate;

// Annotation of a NodePool: USD per hour that a move must save for each ordinary pod that it disturbs; default 0.
inline constexpr std::string_view kDisruptionPrice = "tenon.dev/disruption-price";
// Annotation of a NodePool: minimum USD per hour that a move of its nodes must save; default 0.
inline constexpr std::string_view kMinimumSavings = "tenon.dev/minimum-savings";

// The requirements and totals of one NodePool.
struct PoolRequiredSavings {
  bool balanced = false;
  model::Price pod_price;   // kDisruptionPrice
  model::Price floor;       // kMinimumSavings
  model::Price node_price;  // of one node, in addition to its instance
  // The two totals cover all nodes of a balanced pool. They are 0 in any other pool, whose moves are not scored.
  model::Price cost;             // the prices of the instances, plus node_price for each node
  int64_t disruption_milli = 0;  // the sum of disruption_cost_milli()
};
using RequiredSavings = std::map<std::string, PoolRequiredSavings, std::less<>>;

// Returns the values of every pool; computed once a pass. `node_price` as in SolveOptions.
RequiredSavings required_savings(const scheduling::Snapshot& snapshot, model::Price node_price);
// Returns a message for each invalid annotation of the pool. An invalid annotation counts as absent.
std::vector<std::string> annotation_problems(const model::NodePool& pool);

// Returns the price of disturbing the pods of these nodes, by the annotations of their pools.
model::Price disturbance(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes);
// Returns why a move of these nodes with this gain (gain_of()) is not worth it, as in the Unconsolidatable event; empty
// if it is.
std::string objection(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes, model::Price gain);
// Returns the pools of these nodes, with the score of such a move if the policy is Balanced: the share of the pool's
// price that it saves / the share of the pool's disruption that it causes.
std::map<std::string, std::optional<double>> scores(const RequiredSavings& worth,
                                                    const std::vector<const Candidate*>& nodes, model::Price gain);
// Returns the pools with the policy Balanced that approve such a move → the text of their ConsolidationApproved event.
std::map<std::string, std::string> approvals(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes,
                                             model::Price gain);

}  // namespace tenon::disruption
