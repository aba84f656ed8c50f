// Ways to solve a Packing, or a part of it: exactly where counts are few, greedily by price per value elsewhere. Both
// are deterministic and count their work.
//
//   Counts counts = {{kind, pods}, …};
//   std::optional<std::vector<Pack>> packs = pack_exactly(packing, counts, budget);
//   if (!packs) packs = pack_greedily(packing, counts, rounds, budget);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  void add(const PodKind& kind, int count);
  // The kind's share of what is left, summed over resources: the less, the better it goes with what is there.
  double share(const PodKind& kind) const;

 private:
  struct HostCount {
    size_t group;
    int matched, owners;
  };
  const HostCount* find(size_t group) const;

  const Packing& packing_;
  Amounts left_;
  std::vector<HostCount> host_;  // few
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

// Node after node, each the one with the least price per value of the pods that it takes. After each round, pods that
// ended up in nodes of poor value are valued higher, and the best round counts (sequential value correction). Nothing
// if the budget ends before the first round does.
std::optional<std::vector<Pack>> pack_greedily(const Packing& packing, const Counts& counts, int rounds,
                                               Budget& budget);

}  // namespace tenon::scheduling
