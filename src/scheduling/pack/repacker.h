// Repacker: finds cheaper nodes for the pods of a Packing. settle() packs all pods at once: exactly if there are few
// pods of few kinds, by their resources if nodes are large beside pods. search() packs all pods with a linear programme
// if there are not too many kinds, or in batches of few kinds if the plan is dear; then it trades single pods, and
// empties and repacks a few nodes at a time, while that saves money. Deterministic.
//
//   Repacker repacker(packing, budget, packing.packs());
//   repacker.search();
//   … = packing.realise(repacker.packs());
//
// Borrows packing and budget; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/prng.h"
#include "scheduling/pack/pack.h"

namespace tenon::scheduling {

// How many kinds of pods there are: at most 64, at most 256, or more. Few kinds can be packed at once under any rules,
// some kinds only if no rule limits which pods share a node, and many kinds cannot.
enum class Variety { kFew, kSome, kMany };
Variety variety_of(const Packing& packing);

// Returns true if the nodes cost more than twice the value of their pods (PodKind::value), so that other nodes cost
// much less.
bool is_dear(const Packing& packing, std::span<const Pack> packs);

class Repacker {
 public:
  // Starts from `packs`, which hold all pods of the packing.
  Repacker(const Packing& packing, Budget& budget, std::vector<Pack> packs)
      : packing_(packing), budget_(budget), packs_(std::move(packs)) {}

  // Returns true if search() would hardly find cheaper nodes: the packing is exact, or within 0.5 % of a lower bound.
  bool settle();
  // Stops when the budget is spent or no change saves money. Use another Repacker than for settle(): nodes that were
  // chosen by resources are a worse start than those of the plan.
  void search();
  const std::vector<Pack>& packs() const& { return packs_; }
  std::vector<Pack> packs() && { return std::move(packs_); }

 private:
  Counts all() const;
  void keep(std::vector<Pack> packs);
  std::optional<std::vector<Pack>> by_programme(const Counts& counts, std::span<const Pack> known,
                                                Budget& budget) const;
  void programme();
  std::vector<Counts> batches() const;
  std::optional<std::vector<Pack>> pack_batch(const Counts& counts, Budget& budget) const;
  void in_batches();
  void trade_pods();
  void few_at_a_time();
  double waste(const Pack& pack) const;
  size_t wasteful();
  std::vector<size_t> choose();
  bool repack(const std::vector<size_t>& chosen);
  bool share_a_column(const Pack& a, const Pack& b) const;

  const Packing& packing_;
  Budget& budget_;
  std::vector<Pack> packs_;
  Prng prng_{1};
};

}  // namespace tenon::scheduling
