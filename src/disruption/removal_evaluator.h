// "What if these nodes were removed": where their pods would fit, and whether that is a move worth making. Pure.
// parity: karpenter pkg/controllers/disruption/helpers.go SimulateScheduling, consolidation.go computeConsolidation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "disruption/sets.h"
#include "scheduling/input/solution.h"
#include "scheduling/what_if/what_if.h"

namespace tenon::disruption {

// The minimum gain of a move that launches nodes, in percent of the price of the nodes that it removes:
// kRepackGainPercent if it launches several nodes, because the next plan always differs a little; kSpotGainPercent if a
// removed or launched node is spot capacity, because spot prices change. Any other move needs only a positive gain.
inline constexpr int64_t kRepackGainPercent = 2, kSpotGainPercent = 10;

// Which nodes a simulation may launch in place of the removed ones.
enum class ReplacementPrice { kLower, kAny };

struct Judgement {
  std::optional<Move> move;  // with nodes, replacements, pods and savings; the caller sets reason and method
  std::string why_not;       // message of the Unconsolidatable event
};
Judgement evaluate_removal(const scheduling::Snapshot& snapshot, const Options& options, const Nodes& nodes,
                           ReplacementPrice replacement_price);

// Repacks all pods of these nodes with solve() and its improvement. The gain must be at least `least`.
Judgement repack(const scheduling::Snapshot& snapshot, const Options& options, const Nodes& nodes,
                 model::Price least = {});

// evaluate_removal() with ReplacementPrice::kLower, for many sets of nodes one after the other. A move that is carried
// out stays: later questions are about the cluster after it. Borrows the snapshot and the options.
class RemovalEvaluator {
 public:
  // `removable`: all nodes that questions will be about.
  RemovalEvaluator(const scheduling::Snapshot& snapshot, const Options& options, const Nodes& removable);

  // The cheapest placement without these nodes, by the prices of offerings. judge() plans its details.
  struct Estimate {
    bool pays = false;     // there is a placement, and its gain is positive, with several new nodes enough
    model::Price savings;  // price of the nodes − price of the new ones
    model::Price gain;     // as gain_of()
    scheduling::WhatIf::Offer offer;
  };
  Estimate estimate(const Nodes& nodes);
  // The same with at most one new node.
  Estimate estimate_command(const Nodes& nodes);
  // Returns whether all pods of the nodes fit on the other nodes and one new node of any price.
  bool one_replaces(const Nodes& nodes);
  Judgement judge(const Nodes& nodes) { return judge(nodes, estimate(nodes)); }
  Judgement judge(const Nodes& nodes, const Estimate& estimate);
  // As WhatIf::forecast_unschedulable(), without these nodes and with this plan in their place.
  std::string forecast_unschedulable(const Nodes& nodes, model::Price at_least,
                                     const std::vector<scheduling::PlannedNode>& plan);
  // Makes the last judged move. Its nodes and the nodes that accept its pods are settled.
  void commit() { world_.commit(); }

  // Returns whether questions about this node are still allowed: it is not settled.
  bool open(const Candidate& candidate) const;
  // Returns an upper bound of the gain of any move of these nodes.
  model::Price gain_bound(const Nodes& nodes);
  // Returns a lower bound of the price of nodes for all pods of these nodes.
  model::Price pods_price_bound(const Nodes& nodes) const;
  int64_t steps() const { return world_.steps(); }

 private:
  std::vector<size_t> indexes(const Nodes& nodes) const;
  model::Price beside(size_t nodes) const;  // the node price of so many nodes
  using Weights = std::map<size_t, int>;    // by pod
  void consider(const Nodes& nodes, const scheduling::WhatIf::Offer& offer, std::optional<Weights>& usual,
                Estimate& best);
  bool try_one_new_node(const Nodes& nodes, const scheduling::WhatIf::Needs& needs, std::optional<Weights>& usual,
                        Estimate& best);
  bool lowers_weight(const Nodes& nodes, std::optional<Weights>& usual);
  std::string why_not(const Nodes& nodes);

  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  scheduling::WhatIf world_;
  std::vector<model::Price> steps_;
  bool weights_differ_;  // of the NodePools
};

}  // namespace tenon::disruption
