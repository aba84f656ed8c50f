// Packing: the new nodes of a plan as a vector bin packing problem with bin prices, without names.
//
//   kinds    pods that pack alike: equal requests, usable columns, rules by hostname and host ports
//   columns  offerings that no other one dominates: by at most the price, at least the room, at least the kinds; bins
//   packs    nodes: a column with so many pods of each kind
//
//   e.g. 40 pods of 12 Deployments in 3 sizes, one NodePool with 600 offerings → 3 kinds, 80 columns, 5 packs
//
// Pods keep the form and the domains that the plan chose, so no rule by zone can break: only columns in those domains
// are usable. Rules by hostname and host ports are part of the packing. Anything else that this model cannot express
// stays as it is: nodes with affinity by hostname, labels on which pods had to agree, reservations, minValues.
//
// Limits of NodePools are not part of the model. realise() builds a State from the packs and checks every rule again
// for every pod, so an error in a packing can cost money, but not validity (docs/decisions/0003).
//
//   Packing packing(state);                     // of the plan's fresh nodes
//   std::vector<Pack> better = …;
//   std::optional<State> s = packing.realise(better);
//
// Cost: kinds by one pass over the pods; columns by rows × the columns that share their first mask; values by distinct
// (size, mask) × columns.
//
// Borrows the state; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// An offering that no other one dominates: none has as much room of every resource for as many kinds at its price.
struct Column {
  size_t pool = 0, row = 0;
  int64_t price = 0;  // pico-USD per hour, with the price of a node
  const Amounts* free = nullptr;
  RowSet masks;  // kinds with one of these masks may use it
};

// Pods that pack alike.
struct PodKind {
  const Amounts* size = nullptr;
  size_t mask = 0;             // kinds with equal masks may use the same columns
  std::vector<GroupUse> host;  // rules by hostname
  std::vector<model::HostPort> ports;
  double value = 0;          // pico-USD per hour; a lower bound of the price of its share of any column
  std::vector<size_t> pods;  // indexes into Problem::pods
  bool minds_company() const { return !host.empty() || !ports.empty(); }  // other pods of the node matter
};

inline bool minds_company(const PodKind& kind) { return kind.minds_company(); }

struct Content {
  size_t kind = 0;
  int count = 0;
  friend auto operator<=>(const Content&, const Content&) = default;
};

// A node to launch.
struct Pack {
  size_t column = 0;
  std::vector<Content> contents;
};

class Packing {
 public:
  // `node_price`: the price of a node beside its instance. A higher one than the options name leads to fewer nodes.
  Packing(const State& plan, model::Price node_price);
  explicit Packing(const State& plan) : Packing(plan, plan.problem().options.node_price) {}
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  // Changes the price of a node; indexes of columns and kinds keep their meaning.
  void reprice(model::Price node_price);
  // Returns true if a packing may miss cheaper plans: some new nodes stay as the plan has them, or the plan uses more
  // than half of what some limit leaves.
  static bool is_hindered(const State& plan);
  const Problem& problem() const { return plan_.problem(); }
  const std::vector<Column>& columns() const { return columns_; }  // by price
  // Returns the free amount of this resource, by column.
  const std::vector<double>& room(size_t resource) const { return room_[resource]; }
  const std::vector<PodKind>& kinds() const { return kinds_; }
  // The plan's own nodes; a column may cost less than the row that the plan chose.
  const std::vector<Pack>& packs() const { return packs_; }
  int64_t paid() const;  // the plan's price of these nodes, with the price of a node
  bool allowed(const Column& column, const PodKind& kind) const { return column.masks.test(kind.mask); }

  // Returns the plan with these nodes in place of its own, or std::nullopt if some pod does not fit.
  std::optional<State> realise(const std::vector<Pack>& packs) const;

 private:
  struct Mask {
    int weight = 0;                               // of the plan's pool: it may use pools of this weight or more
    std::vector<std::pair<size_t, RowSet>> rows;  // by pool; pools without rows are omitted
    friend auto operator<=>(const Mask&, const Mask&) = default;
  };
  static bool stays(const Problem& problem, const Bin& bin);
  int is_considered(const Bin& bin, const GroupUse& use) const;
  void keep_side(const Bin& bin, const GroupUse& use, RowSet& rows) const;
  RowSet rows_of(const Bin& bin, const Placed& placed, const PoolProblem& pool, size_t index) const;
  size_t mask_of(const Bin& bin, const Placed& placed);
  const RowSet& rows(size_t mask, size_t pool) const;
  std::vector<size_t> list_kinds();
  void list_columns();
  void list_values();
  void list_packs(const std::vector<size_t>& kind_of);
  const std::vector<int>& domains_of(size_t pod) const {
    return plan_.bins()[static_cast<size_t>(plan_.bin_of(pod))].domains;
  }

  const State& plan_;
  model::Price node_price_;
  std::map<Mask, size_t> known_masks_;
  std::vector<const Mask*> masks_;  // of known_masks_
  std::vector<Column> columns_;
  std::vector<std::vector<double>> room_;  // by resource, column
  std::vector<PodKind> kinds_;
  std::vector<Pack> packs_;
  std::vector<Placed> placed_;     // by pod, as in the plan
  std::vector<size_t> kept_bins_;  // of the plan
  std::vector<size_t> open_bins_;  // of the plan, to be packed again
};

}  // namespace tenon::scheduling
