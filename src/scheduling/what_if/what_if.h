// WhatIf: where the pods of some nodes would be placed if these nodes were gone, and which nodes would be launched for
// them. Compiles the cluster once; each question changes a State and undoes the changes, so that it costs as much as
// the pods that move, not as the cluster. Pending pods have been placed on existing nodes first, and keep their room.
//
//   WhatIf world(snapshot, options, {"a", "b"}, {});
//   WhatIf::Answer answer = world.without(std::vector{*world.find("a")}, {});
//   if (answer.all_placed) world.commit();   // later questions start from the cluster after this move
//
// Not thread-safe; borrows the snapshot.
// what_if_ask.cc answers questions, what_if_bound.cc bounds the price of answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/what_if/forecast.h"

namespace tenon::scheduling {

class WhatIf {
 public:
  // The nodes that may be launched.
  struct Offer {
    size_t most = 0;                          // new nodes
    std::optional<model::Price> below;        // per new node, exclusive
    std::optional<model::Price> total_below;  // all of them, each with SolveOptions::node_price, exclusive
    bool all = true;                          // stop at the first pod that cannot be placed
  };
  struct Answer {
    bool all_placed = false;
    size_t new_nodes = 0;
    model::Price price;        // of the new nodes, at their cheapest offerings
    bool may_be_spot = false;  // at least one of them
  };

  // `removable`: the names of the nodes that questions may name; `closed`: nodes that accept no pods that move. Nodes
  // of options.removed_nodes are gone already; closed_nodes, launch_below and may_launch of the options are ignored.
  // Domains of topology spreads: those of all nodes, including nodes that are gone, because kube-scheduler counts a
  // node until it is deleted; and those in which a node could be launched for the pods that move, at any price.
  WhatIf(const Snapshot& snapshot, SolveOptions options, const std::vector<std::string>& removable,
         const std::set<std::string>& closed);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  // Returns the index of a node, or std::nullopt if there is no node of this name.
  std::optional<size_t> find(const std::string& node) const;
  // The pods of a node that may go, by the indexes that answers use.
  std::span<const size_t> pods_of(size_t node) const { return residents_[node]; }
  // Returns true if the node is gone or has accepted pods that moved. Further questions must not name it.
  bool settled(size_t node) const { return settled_.test(node); }

  // Answers what happens if these nodes are gone; none of them may be settled. Discards the previous answer.
  Answer without(std::span<const size_t> nodes, const Offer& offer);
  // Returns what new nodes must hold at least, by resource, if these nodes are gone. Discards the previous answer.
  using Needs = std::vector<double>;
  Needs needs(std::span<const size_t> nodes);
  // Returns a lower bound of the price of the new nodes, each below this price, that replace nodes with these needs.
  model::Price price_bound(const Needs& needs, std::optional<model::Price> below) const { return value(needs, below); }
  // Returns a lower bound of the price of new nodes for all pods of these nodes.
  model::Price pods_price_bound(std::span<const size_t> nodes) const;
  // Returns useful caps of the price of a new node, in descending order.
  std::vector<model::Price> price_steps() const;

  // These describe the last answer and are valid until the next question.
  std::map<std::string, std::vector<std::string>> moved_to_nodes() const;  // node → keys of pods that ran on the nodes
  // Returns the nodes to launch. With `paid`, the offerings of each are limited to prices below its part of `paid`, in
  // proportion to its share of the total price.
  std::vector<PlannedNode> nodes_to_launch(std::optional<model::Price> paid);
  // Returns the weight of the NodePool that launches a node for a pod, by pod of the nodes that would be gone.
  std::map<size_t, int> launch_weights() const;
  // Pods that could not be placed: their number, and (key, sentence) for the first ones, at most `named`.
  size_t unplaced() const { return left_.size(); }
  std::vector<std::pair<std::string, std::string>> why_unplaced(size_t named);
  // Forecasts how kube-scheduler places the pods of the last question, on existing nodes and those that the answer (or
  // `plan`) launches. Returns the key of a pod that does not fit, if new nodes for all such pods cost `at_least` or
  // more or cannot be launched; otherwise an empty string.
  std::string forecast_unschedulable(model::Price at_least);
  std::string forecast_unschedulable(model::Price at_least, std::span<const PlannedNode> plan);
  // Carries out the move of the last answer in this world. If forecast_unschedulable() was called, kube-scheduler has
  // placed the pods as in its last forecast.
  void commit();

  int64_t steps() const { return steps_ + forecast_->steps(); }  // attempts to place pods on a node

 private:
  void place_pending();
  void begin_forecast(State empty);
  void list_nodes();
  void list_unit_prices();
  void rank_classes();
  RowSet possible_nodes(const PodClass& c) const;
  bool takes(size_t node, const PodClass& c) const;
  void begin(std::span<const size_t> nodes);
  void undo();
  std::vector<double> least_prices_of_value(const std::vector<double>& units) const;
  void add_requests(size_t pod_class, std::vector<double>& total) const;
  bool another_has_room(size_t pod_class) const;
  Needs free_room(const RowSet& nodes) const;
  model::Price value(const std::vector<double>& amounts, std::optional<model::Price> below) const;
  void reach();
  void offer_below(std::optional<model::Price> price);
  void list_moving(std::span<const size_t> nodes);
  std::vector<size_t> in_order(std::span<const size_t> first, bool by_priority) const;
  const std::vector<size_t>& by_priority();
  std::string forecast_unschedulable(model::Price at_least, std::span<const Removal::Launched> plan);
  bool attempt(std::span<const size_t> nodes, const Offer& offer, const std::vector<size_t>& order);

  Problem problem_;
  State state_;
  std::optional<Forecast> forecast_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::vector<std::vector<size_t>> residents_;  // by node that may go: its pods that would move
  std::vector<Amounts> charge_;                 // by node that may go: against its pool's limits
  std::vector<size_t> pool_;                    // by node that may go
  std::vector<RowSet> nodes_;                   // by class: nodes with room for one such pod
  mutable std::vector<size_t> first_;           // by class: no member of nodes_ is before this one
  mutable RowSet needy_;                        // nodes of needs(), while it runs
  // Classes that labels and taints allow on the same nodes.
  struct Places {
    RowSet nodes;
    std::vector<size_t> classes;
  };
  std::vector<Places> places_;
  std::vector<size_t> rank_by_size_, rank_by_priority_;  // by class: the order in which its pods are placed
  struct PriceStep {
    model::Price below;
    std::vector<std::vector<double>> units;  // several lists of prices for a unit of each resource
  };
  std::vector<PriceStep> price_steps_;  // downwards; the first is for all rows
  std::vector<RowSet> spot_;            // by pool
  model::Price cheapest_, dearest_;
  RowSet closed_, settled_;

  bool open_ = false;           // there is an answer
  std::vector<size_t> asked_;   // its nodes
  std::vector<size_t> moving_;  // its pods, sorted
  bool listed_ = false;         // moving_ and the orders below are those of asked_ in the cluster as it is
  std::vector<size_t> by_size_;
  std::optional<std::vector<size_t>> by_priority_;
  std::vector<size_t> left_;  // those that could not be placed, sorted
  std::vector<std::pair<size_t, size_t>>
      reached_;  // (group, domain) that are eligible because a node could be launched there for the pods
  Terms terms_;
  std::map<size_t, std::string> why_;  // by class
  int64_t steps_ = 0;
};

}  // namespace tenon::scheduling
