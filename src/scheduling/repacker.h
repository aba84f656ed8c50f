// Repacker: the nodes of a Packing for less money. All of them are packed at once, exactly if there are few kinds of
// pods, by their resources if nodes are large beside pods, or as a linear programme and greedily if there are some
// kinds. Otherwise single pods are traded, and a few nodes at a time are emptied and packed again, while that saves
// money. Deterministic.
//
//   Repacker repacker(packing, budget);
//   if (!repacker.settle()) repacker.search();
//   … = packing.realise(repacker.packs());
//
// Borrows packing and budget; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/prng.h"
#include "scheduling/pack.h"

namespace tenon::scheduling {

// Few kinds can be packed at once whatever their rules; some can without rules about the company; many cannot.
enum class Variety { kFew, kSome, kMany };
Variety variety_of(const Packing& packing);

class Repacker {
 public:
  Repacker(const Packing& packing, Budget& budget) : packing_(packing), budget_(budget), packs_(packing.packs()) {}

  // Packs all nodes exactly or by their resources. Returns true if hardly anything better can be found.
  bool settle();
  // Every other way, until the budget is spent or nothing helps. It starts from the plan's own nodes where settle()
  // was not called; nodes that only cover resources are no good start, others of other kinds are.
  void search();
  const std::vector<Pack>& packs() const { return packs_; }

 private:
  Counts all() const;
  void keep(std::vector<Pack> packs);
  void programme();
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
