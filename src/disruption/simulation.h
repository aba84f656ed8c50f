// "What if these nodes were gone": where their pods would go, and whether that is a move worth making. Pure.
// parity: karpenter pkg/controllers/disruption/helpers.go SimulateScheduling, consolidation.go computeConsolidation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "disruption/sets.h"
#include "scheduling/what_if.h"

namespace tenon::disruption {

// What a simulation may buy in place of the nodes.
enum class Buy { kCheaper, kAnything };

struct Judgement {
  std::optional<Move> move;  // with nodes, replacements, pods and savings; reason and method are the caller's
  std::string why_not;       // a sentence, as in the Unconsolidatable event
};
Judgement simulate(const scheduling::Snapshot& snapshot, const Options& options, const Nodes& nodes, Buy buy);

// All pods of these nodes packed anew, as well as solve() can, for less money: a gain of `least` or more.
Judgement repack(const scheduling::Snapshot& snapshot, const Options& options, const Nodes& nodes,
                 model::Price least = {});

// As simulate() for many sets of nodes, one after the other, of what pays for itself. A move that is carried out stays,
// and later questions are asked of what it leaves.
class Simulation {
 public:
  // `may_go`: all nodes that will be asked about.
  Simulation(const scheduling::Snapshot& snapshot, const Options& options, const Nodes& may_go);

  // The cheapest way on without these nodes, by list prices; what it would be in detail is for judge() to say.
  struct Estimate {
    bool pays = false;     // there is one, and it gains something
    model::Price savings;  // price of the nodes − price of the new ones
    model::Price gain;     // as gain_of() a move
    scheduling::WhatIf::Offer offer;
  };
  Estimate estimate(const Nodes& nodes);
  // The same with one new node at most.
  Estimate estimate_command(const Nodes& nodes);
  // The other nodes and one new one, whatever it costs, have room for all their pods.
  bool one_replaces(const Nodes& nodes);
  Judgement judge(const Nodes& nodes) { return judge(nodes, estimate(nodes)); }
  Judgement judge(const Nodes& nodes, const Estimate& estimate);
  // As WhatIf::left_out(), with these nodes gone and this plan in their place.
  std::string left_out(const Nodes& nodes, model::Price at_least, const std::vector<scheduling::PlannedNode>& plan);
  // The last move that was judged, as if it were done. Its nodes and those that took its pods are settled.
  void carry_out() { world_.carry_out(); }

  // Something may still be asked about this node.
  bool open(const Candidate& candidate) const;
  // The least that nodes for all pods of these could cost.
  model::Price worth(const Nodes& nodes) const;
  int64_t steps() const { return world_.steps(); }

 private:
  std::vector<size_t> indexes(const Nodes& nodes) const;
  model::Price beside(size_t nodes) const;  // what so many nodes cost beside their instances
  using Weights = std::map<size_t, int>;    // by pod
  void consider(const Nodes& nodes, const scheduling::WhatIf::Offer& offer, std::optional<Weights>& usual,
                Estimate& best);
  bool try_one_new_node(const Nodes& nodes, std::optional<Weights>& usual, Estimate& best);
  bool gives_up_weight(const Nodes& nodes, std::optional<Weights>& usual);
  std::string why_not(const Nodes& nodes);

  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  scheduling::WhatIf world_;
  std::vector<model::Price> steps_;
  bool weights_differ_;  // of the NodePools
};

}  // namespace tenon::disruption
