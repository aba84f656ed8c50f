// Methods that solve a Packing, or a part of it: vector bin packing with bin prices. All of them are deterministic and
// count their work in steps. Repacker (repacker.h) chooses the method:
//
//   pack_exactly        few pods of few kinds: dynamic programming over counts              pack_exact.cc
//   pack_covering       nodes that are large beside pods: resources as a linear programme   pack_cover.cc
//   pack_by_programme   up to some hundred kinds: column generation and dives               pack_programme.cc
//   pack_greedily       any input: greedy set covering with value correction                pack_greedy.cc
//   trade               improves a packing: local search over pairs of nodes                pack_trade.cc
//
//   Counts counts = {{kind, pods}, …};
//   std::optional<std::vector<Pack>> packs = pack_exactly(packing, counts, budget);
//   if (!packs) packs = pack_greedily(packing, counts, rounds, budget);
//
// pack_fill.cc defines the filling of nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "scheduling/pack/packing.h"

namespace tenon::scheduling {

using Counts = std::vector<Content>;  // each kind once, counts above zero

// A limit of work. One step is about one kind that is considered for one node.
struct Budget {
  int64_t left = 0;
  void spend(int64_t steps) { left -= steps; }
  bool spent() const { return left <= 0; }
};

// The pods of a node so far. Computes how many more pods of a kind fit.
class Load {
 public:
  Load(const Packing& packing, const Column& column);
  int room_for(const PodKind& kind) const;
  // Like room_for(), but considers only rules by hostname and host ports.
  int host_room(const PodKind& kind) const;
  void add(const PodKind& kind, int count);
  const Amounts& left() const { return left_; }

 private:
  struct Owned {
    size_t group;
    int matched, owners;
  };
  const Owned* find(size_t group) const;

  const Packing& packing_;
  Amounts left_;
  std::vector<Owned> host_;  // few
  std::vector<model::HostPort> ports_;
};

// Fills one node so that the sum of the values of its pods is high: a knapsack heuristic. The result is in `pods`, by
// position in counts, and `value`.
class Filler {
 public:
  Filler(const Packing& packing, const Counts& counts);
  // Adds the kind with the most value for its share of the free resources, repeatedly. `left` and `values` are by
  // position in counts.
  void fill(const Column& column, const std::vector<int>& left, const std::vector<double>& values, Budget& budget);
  // Finds more value than fill() for more work: tries several mixes of two resources and, with `closely`, exchanges.
  // Stops when the value exceeds `enough`. Works like fill() if a kind has rules by hostname or host ports.
  void fill_best(const Column& column, const std::vector<int>& left, const std::vector<double>& values, bool closely,
                 double enough, Budget& budget);
  // Returns the cheapest column up to `column` that holds these contents, which fit in `column`.
  size_t cheapest(const std::vector<int>& contents, size_t column) const;
  std::vector<int> pods;
  double value = 0;

 private:
  void list_candidates(const Column& column, const std::vector<int>& left, const std::vector<double>& values);
  void fill_by_share(const Column& column, const std::vector<double>& values, Budget& budget);
  void find_scarce(const Column& column, const std::vector<int>& left);
  void fill_by_mix(double share, const std::vector<double>& values, Budget& budget);
  void top_up(const std::vector<double>& values, size_t but, Budget& budget);
  void exchange(const std::vector<double>& values, Budget& budget);
  void keep_if_better(const std::vector<double>& values);
  double worth_of_trial(const std::vector<double>& values) const;
  int room(size_t i) const;
  void put(size_t i, int count);

  const Packing& packing_;
  const Counts& counts_;
  size_t resources_;
  std::vector<double> sizes_, inverse_;       // of counts, resource by resource; the inverse of 0 is 0
  std::vector<double> start_, free_, share_;  // of the node: free at first, free now, and the inverse of that
  std::vector<char> minds_company_;           // of counts
  double at_most_ = 0;                        // an upper bound of the value of any filling
  std::vector<size_t> candidates_;            // positions in counts
  std::array<size_t, 2> scarce_{};            // resources
  std::vector<std::pair<double, size_t>> ranked_;
  std::vector<int> most_, trial_;
};

struct Cost {
  int64_t price = 0;
  size_t nodes = 0;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};
Cost cost_of(const Packing& packing, std::span<const Pack> packs);

// Returns the cheapest nodes that hold these pods: every combination of full nodes, by dynamic programming over the
// counts. Returns std::nullopt if that is too much work for the limits in pack_exact.cc or for the budget.
std::optional<std::vector<Pack>> pack_exactly(const Packing& packing, const Counts& counts, Budget& budget);

// Solves a linear programme over node fillings by column generation, starting from the fillings in `known`, and takes
// whole nodes from it by dives. Returns std::nullopt if a kind has no column, or if no dive completes. The work grows
// with the square of the number of kinds, which the caller must limit.
std::optional<std::vector<Pack>> pack_by_programme(const Packing& packing, const Counts& counts,
                                                   std::span<const Pack> known, Budget& budget);

// Converts numbers of pods by position in `counts` to contents. Omits kinds without pods.
std::vector<Content> contents_of(const Counts& counts, const std::vector<int>& pods);

bool holds(const Packing& packing, size_t column, const std::vector<Content>& contents);

// Returns the cheapest column that holds these pods, or the number of columns if none does.
size_t cheapest_column(const Packing& packing, const std::vector<Content>& contents);

// Chooses the cheapest nodes that have enough of every resource in sum, and fills all of them at the same time. Returns
// std::nullopt if rules limit which pods share a node, if nodes would hold few pods each, or if the budget ends first.
struct Covering {
  std::vector<Pack> packs;
  bool close = false;  // the price is within 0.5 % of a lower bound: what the resources alone cost
};
std::optional<Covering> pack_covering(const Packing& packing, const Counts& counts, Budget& budget);

// Fills node after node, each time the node with the lowest price per value of its pods. After each round, the values
// of pods in nodes of poor value rise (sequential value correction). Returns the cheapest round, or std::nullopt if the
// budget ends before the first round does or some pod fits no column. `values`: the first values, by position in
// counts; empty: PodKind::value.
std::optional<std::vector<Pack>> pack_greedily(const Packing& packing, const Counts& counts, int rounds, Budget& budget,
                                               std::vector<double> values = {});

// Makes nodes cheaper by local search: moves one pod of a node to another node, or exchanges it for a smaller pod of
// that node, if the first node then fits a cheaper column. The other node keeps its column. `packs`: at least one.
void trade(const Packing& packing, std::vector<Pack>& packs, Budget& budget);

}  // namespace tenon::scheduling
