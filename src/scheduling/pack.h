// Ways to solve a Packing, or a part of it: exactly where counts are few, greedily by price per value elsewhere. Both
// are deterministic and count their work.
//
//   Counts counts = {{kind, pods}, …};
//   std::optional<std::vector<Pack>> packs = pack_exactly(packing, counts, budget);
//   if (!packs) packs = pack_greedily(packing, counts, rounds, budget);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "scheduling/packing.h"

namespace tenon::scheduling {

using Counts = std::vector<Content>;  // each kind once, counts above zero

// One step is one kind that is looked at for one node.
struct Budget {
  int64_t left = 0;
  void spend(int64_t steps) { left -= steps; }
  bool spent() const { return left <= 0; }
};

// What is in a node so far, and how many more of a kind it takes.
class Load {
 public:
  Load(const Packing& packing, const Column& column);
  int room_for(const PodKind& kind) const;
  // The same as far as rules by hostname and host ports say.
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

// Fills single nodes so that what is in them is worth much. The answer is in `pods`, by position in counts, and
// `value`.
class Filler {
 public:
  Filler(const Packing& packing, const Counts& counts);
  // The kind with the most value for its share of what the node has left, again and again. `left` and `values` by
  // position in counts.
  void fill(const Column& column, const std::vector<int>& left, const std::vector<double>& values, Budget& budget);
  // Worth more, and more work: several mixes; closely: then exchanges. As fill() where rules by hostname or host ports
  // have a say.
  void fill_best(const Column& column, const std::vector<int>& left, const std::vector<double>& values, bool closely,
                 double enough, Budget& budget);
  // The cheapest column up to `column` that holds these contents, which are known to fit into that one.
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
  std::vector<double> start_, free_, share_;  // of the node: at first, what is left, and its inverse
  double at_most_ = 0;                        // no filling is worth more
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

// The cheapest nodes that hold these pods: every combination of full nodes, by dynamic programming over the counts.
// Nothing if that is too much work for the limits in pack_exact.cc or for the budget.
std::optional<std::vector<Pack>> pack_exactly(const Packing& packing, const Counts& counts, Budget& budget);

// A linear programme over nodes that are worth buying (column generation), of which `known` are some; whole nodes are
// bought from it by dives. Nothing if a kind has no column, or no dive gets to its end. The work grows with kinds
// squared: the caller says what is too many.
std::optional<std::vector<Pack>> pack_by_programme(const Packing& packing, const Counts& counts,
                                                   std::span<const Pack> known, Budget& budget);

// What so many pods of each of `counts` are as contents.
std::vector<Content> contents_of(const Counts& counts, const std::vector<int>& pods);

bool holds(const Packing& packing, size_t column, const std::vector<Content>& contents);

// The cheapest column that holds these pods; the number of columns if none does.
size_t cheapest_column(const Packing& packing, const std::vector<Content>& contents);

// The cheapest nodes that have enough of every resource, filled all at the same time. Nothing where pods mind their
// company, nodes would be very many, or the budget ends first.
struct Covering {
  std::vector<Pack> packs;
  bool close = false;  // no nodes are much cheaper: they would lack some resource
};
std::optional<Covering> pack_covering(const Packing& packing, const Counts& counts, Budget& budget);

// Node after node, each the one with the least price per value of the pods that it takes. After each round, pods that
// ended up in nodes of poor value are valued higher, and the best round counts (sequential value correction). Nothing
// if the budget ends before the first round does.
// `values` by position in counts to start from; the kinds' own if there are none.
std::optional<std::vector<Pack>> pack_greedily(const Packing& packing, const Counts& counts, int rounds, Budget& budget,
                                               std::vector<double> values = {});

// While it makes a node cheaper: one of its pods for a smaller one, or none, of another node that stays what it is.
// `packs`: at least one.
void trade(const Packing& packing, std::vector<Pack>& packs, Budget& budget);

}  // namespace tenon::scheduling
