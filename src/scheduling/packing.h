// Packing: what a plan buys, as a packing problem with bin prices and without names. Pods that pack alike are one kind,
// offerings that none other beats are columns, and a node is a column with so many pods of each kind. Pods keep the
// form and the domains that the plan gave them, so that no rule by zone can break; rules by hostname and host ports are
// part of the packing. What cannot be said so stays as it is: nodes with affinity by hostname, labels that pods had to
// agree on, reservations, or minValues.
//
//   Packing packing(state);                     // of the plan's fresh nodes
//   std::vector<Pack> better = …;
//   std::optional<State> s = packing.realise(better);   // every rule is checked again, pod by pod
//
// Borrows the state; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "scheduling/state.h"

namespace tenon::scheduling {

// Something to buy that nothing else beats: no other has as much room of everything for as many kinds at its price.
struct Column {
  size_t pool = 0, row = 0;
  int64_t price = 0;  // with the price of a node
  const Amounts* free = nullptr;
  RowSet masks;  // kinds with such a mask may use it
};

// Pods that pack alike.
struct PodKind {
  const Amounts* size = nullptr;
  size_t mask = 0;             // equal masks may use the same columns
  std::vector<GroupUse> host;  // rules by hostname
  std::vector<model::HostPort> ports;
  double value = 0;          // what it costs at the least: the cheapest column's price for its share
  std::vector<size_t> pods;  // indexes into Problem::pods
  bool minds_company() const { return !host.empty() || !ports.empty(); }  // room is not all that it needs
};

inline bool minds_company(const PodKind& kind) { return kind.minds_company(); }

struct Content {
  size_t kind = 0;
  int count = 0;
  friend auto operator<=>(const Content&, const Content&) = default;
};

// A node to buy.
struct Pack {
  size_t column = 0;
  std::vector<Content> contents;
};

class Packing {
 public:
  // `node_price`: of a node beside its instance; another one than the options' seeks plans of fewer nodes.
  Packing(const State& plan, model::Price node_price);
  explicit Packing(const State& plan) : Packing(plan, plan.problem().options.node_price) {}
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  // Changes the price of a node; indexes of columns and kinds keep their meaning.
  void reprice(model::Price node_price);
  // Rules may hinder it from seeing all that is cheaper: some nodes stay as the plan has them, or limits are near.
  static bool is_hindered(const State& plan);
  const Problem& problem() const { return plan_.problem(); }
  const std::vector<Column>& columns() const { return columns_; }  // by price
  // Returns the free amount of this resource, by column.
  const std::vector<double>& room(size_t resource) const { return room_[resource]; }
  const std::vector<PodKind>& kinds() const { return kinds_; }
  // The plan's own nodes; a column may cost less than what the plan pays.
  const std::vector<Pack>& packs() const { return packs_; }
  int64_t paid() const;  // by the plan, for these nodes
  bool allowed(const Column& column, const PodKind& kind) const { return column.masks.test(kind.mask); }

  // The plan with these nodes in place of its own; nothing if some pod would be left behind.
  std::optional<State> realise(const std::vector<Pack>& packs) const;

 private:
  struct Mask {
    int weight = 0;                               // of the pools that it may use
    std::vector<std::pair<size_t, RowSet>> rows;  // by pool, of those that have any
    friend auto operator<=>(const Mask&, const Mask&) = default;
  };
  static bool stays(const Problem& problem, const Bin& bin);
  int is_considered(const Bin& bin, const GroupUse& use) const;
  void keep_side(const Bin& bin, const GroupUse& use, RowSet& rows) const;
  RowSet rows_of(const Bin& bin, const Placed& placed, const PoolProblem& pool, size_t index) const;
  size_t mask_of(const Bin& bin, const Placed& placed);
  const RowSet& rows(size_t mask, size_t pool) const;
  void list_kinds();
  void list_columns();
  void list_values();
  void list_packs();
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
  std::vector<Placed> placed_;     // by pod: as the plan has it
  std::vector<size_t> kind_of_;    // by pod
  std::vector<size_t> kept_bins_;  // of the plan
  std::vector<size_t> open_bins_;  // of the plan, to be packed again
};

}  // namespace tenon::scheduling
