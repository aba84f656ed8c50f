// WhatIf: where the pods of some nodes would go if these nodes were gone, and what would have to be bought for them.
// The cluster is compiled once; each question changes a State and takes the changes back, so that it costs what moves
// and not what there is. Pending pods have been given the room that is there first, and must not lose it.
//
//   WhatIf world(snapshot, options, {"a", "b"}, {});
//   WhatIf::Answer answer = world.without(std::vector{*world.find("a")}, {});
//   if (answer.all_placed) world.carry_out();   // further questions are asked of what this one leaves
//
// Not thread-safe; borrows the snapshot.
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

#include "scheduling/forecast.h"

namespace tenon::scheduling {

class WhatIf {
 public:
  // What may be bought.
  struct Offer {
    size_t most = 0;                          // new nodes
    std::optional<model::Price> below;        // per new node, exclusive
    std::optional<model::Price> total_below;  // all of them, each with SolveOptions::node_price, exclusive
    bool all = true;                          // stop at the first pod that finds no place
  };
  struct Answer {
    bool all_placed = false;
    size_t new_nodes = 0;
    model::Price price;        // of the new nodes, as their cheapest offerings
    bool may_be_spot = false;  // some of them
  };

  // `may_go`: the nodes, by name, that questions are about; `closed`: nodes that take no pods that move. Nodes of
  // options.without_nodes are gone already; what options say of closed nodes and of prices is not looked at.
  // Domains of topology spreads: those of all nodes, also of nodes that are gone, because kube-scheduler counts a node
  // until it is deleted; and those in which a node could be launched for the pods that move, at any price.
  WhatIf(const Snapshot& snapshot, SolveOptions options, const std::vector<std::string>& may_go,
         const std::set<std::string>& closed);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  // By name; nothing for nodes that are not there.
  std::optional<size_t> find(const std::string& node) const;
  // The pods of a node that may go, as they are named in answers.
  std::span<const size_t> pods_of(size_t node) const { return residents_[node]; }
  // The node has gone or has taken pods that moved: nothing more may be asked about it.
  bool settled(size_t node) const { return settled_.test(node); }

  // If these nodes were gone, none of them settled. Forgets the answer before.
  Answer without(std::span<const size_t> nodes, const Offer& offer);
  // The requests of those pods of the nodes that no other node has room for, by resource.
  using Needs = std::vector<double>;
  Needs needs(std::span<const size_t> nodes) const;
  // A lower bound of the price of the new nodes, each below this price, that replace nodes with these needs.
  model::Price at_least(const Needs& needs, std::optional<model::Price> below) const { return value(needs, below); }
  // What nodes for all pods of these cost at least.
  model::Price worth(std::span<const size_t> nodes) const;
  // The steps, downwards, by which the price of a new node is worth capping.
  std::vector<model::Price> price_steps() const;

  // Of the last answer, until the next question.
  std::map<std::string, std::vector<std::string>> moved_to_nodes() const;  // node → keys of pods that ran on the nodes
  // The nodes to buy. With `paid`, each is narrowed to what costs less than the part of it that its price is of all
  // prices.
  std::vector<PlannedNode> nodes_to_buy(std::optional<model::Price> paid);
  // Pod of a node that would be gone → weight of the NodePool that a node is bought from for it.
  std::map<size_t, int> weights_bought() const;
  // Pods that found no place: how many, and why the first ones did not (key, sentence), at most `named`.
  size_t unplaced() const { return left_.size(); }
  std::vector<std::pair<std::string, std::string>> why_unplaced(size_t named);
  // A pod of the nodes of the last question that finds no room if kube-scheduler places the pods, beside what the
  // answer launches or another plan does, and if nodes for all such pods cost this or more, or cannot be launched. Its
  // key; empty if there is none.
  std::string left_out(model::Price at_least);
  std::string left_out(model::Price at_least, std::span<const PlannedNode> plan);
  // From now on it is so, and kube-scheduler has placed the pods as left_out() found if it was asked.
  void carry_out();

  int64_t steps() const { return steps_ + forecast_->steps(); }  // tries to put pods into a node

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
  model::Price value(const std::vector<double>& amounts, std::optional<model::Price> below) const;
  void reach();
  void offer_below(std::optional<model::Price> price);
  std::vector<size_t> in_order(std::span<const size_t> first, bool by_priority) const;
  std::string left_out(model::Price at_least, std::span<const Leaving::Launched> plan);
  bool attempt(std::span<const size_t> nodes, const Offer& offer, const std::vector<size_t>& order);

  Problem problem_;
  State state_;
  std::optional<Forecast> forecast_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::vector<std::vector<size_t>> residents_;  // by node that may go: its pods that would have to move
  std::vector<Amounts> charge_;                 // by node that may go: against its pool's limits
  std::vector<size_t> pool_;                    // by node that may go
  std::vector<RowSet> nodes_;                   // by class: nodes with room for one such pod
  mutable std::vector<size_t> first_;           // by class: none before this one
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

  bool open_ = false;           // an answer stands
  std::vector<size_t> asked_;   // its nodes
  std::vector<size_t> moving_;  // its pods, sorted
  std::vector<size_t> left_;    // those without a place, sorted
  std::vector<std::pair<size_t, size_t>>
      reached_;  // (group, domain) that count because the pods may be bought for there
  Terms terms_;
  std::map<size_t, std::string> why_;  // by class
  int64_t steps_ = 0;
};

}  // namespace tenon::scheduling
