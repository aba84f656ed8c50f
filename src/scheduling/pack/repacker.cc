// How a Repacker combines the methods of pack.h. Few kinds repeat on many nodes, so a linear programme over node
// fillings sees the whole problem; many kinds make it too large, and local search works on a part at a time:
//
//   kinds      up to 64          column generation, whatever the rules by hostname
//              up to 256         the same, if there are no rules by hostname or host ports
//              65 or more, dear  batches of 64 kinds, each packed by itself, in place of the programme
//   then       rules by hostname: trades of single pods, with half of the remaining steps
//   then       large neighbourhood search: empties 2 to 6 nodes, packs their pods again greedily, keeps cheaper results
//
// The nodes to empty are drawn by tournament: of three drawn at random, the one that wastes most (price minus the value
// of its pods) wins. Partners must be able to share the first node's column. The search ends after eight tries per node
// without gain, or with the budget. A random number generator with a fixed seed draws the nodes, so equal input gives
// equal output.
//
// Example: nodes for 0.34 and 0.40 USD/h with pods worth 0.30 and 0.25 waste 0.04 and 0.15. If both are drawn, the
// second one is emptied.
//
// Cost: programme and batches up to three quarters of the steps; a try costs one greedy packing of its few nodes.
// See docs/decisions/0003 and 0030.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/repacker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

namespace tenon::scheduling {
namespace {

constexpr size_t kFewKinds = 64;
constexpr size_t kSomeKinds = 256;  // with more kinds the linear programme is too large
constexpr int64_t kCoverShare = 4;  // pack_covering() may spend this fraction of the steps: 1 in 4
constexpr int kRoundsAtOnce = 12, kRoundsOfFew = 1;
constexpr size_t kFew = 6;               // nodes that are emptied at a time
constexpr size_t kTriesWithoutGain = 8;  // per node
constexpr int kPartnersTried = 8;
constexpr double kDear = 2;  // times the value of the pods
constexpr int kContest = 3;  // nodes that are drawn; the most wasteful of them is taken

Counts counts_of(const std::vector<Pack>& packs, const std::vector<size_t>& chosen) {
  std::map<size_t, int> sum;
  for (const size_t i : chosen) {
    for (const Content& content : packs[i].contents) sum[content.kind] += content.count;
  }
  Counts counts;
  for (const auto& [kind, count] : sum) counts.push_back({kind, count});
  return counts;
}

}  // namespace

Variety variety_of(const Packing& packing) {
  const auto& kinds = packing.kinds();
  if (kinds.size() <= kFewKinds) return Variety::kFew;
  return kinds.size() <= kSomeKinds && std::none_of(kinds.begin(), kinds.end(), minds_company) ? Variety::kSome
                                                                                               : Variety::kMany;
}

bool is_dear(const Packing& packing, std::span<const Pack> packs) {
  double value = 0;
  for (const Pack& pack : packs) {
    for (const Content& content : pack.contents) value += packing.kinds()[content.kind].value * content.count;
  }
  return static_cast<double>(cost_of(packing, packs).price) > kDear * value;
}

void Repacker::keep(std::vector<Pack> packs) {
  if (cost_of(packing_, packs) < cost_of(packing_, packs_)) packs_ = std::move(packs);
}

Counts Repacker::all() const {
  std::vector<size_t> all(packs_.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return counts_of(packs_, all);
}

bool Repacker::settle() {
  const Counts counts = all();
  if (variety_of(packing_) != Variety::kMany) {
    if (auto found = pack_exactly(packing_, counts, budget_)) {
      keep(std::move(*found));
      return true;
    }
  }
  Budget share{budget_.left / kCoverShare};
  budget_.spend(share.left);
  auto covering = pack_covering(packing_, counts, share);
  budget_.left += share.left;
  if (covering) keep(std::move(covering->packs));
  return covering && covering->close;
}

std::optional<std::vector<Pack>> Repacker::by_programme(const Counts& counts, std::span<const Pack> known,
                                                        Budget& budget) const {
  auto found = pack_greedily(packing_, counts, kRoundsAtOnce, budget);
  auto dived = pack_by_programme(packing_, counts, found ? *found : known, budget);
  if (!found || (dived && cost_of(packing_, *dived) < cost_of(packing_, *found))) return dived;
  return found;
}

void Repacker::programme() {
  Budget most{budget_.left * 3 / 4};
  budget_.spend(most.left);
  auto found = by_programme(all(), packs_, most);
  budget_.left += std::max<int64_t>(most.left, 0);
  if (found) keep(std::move(*found));
}

// Sorts the kinds by their ratio of the second resource to the first and deals them out in turn, so that the pods of
// each batch fill nodes as well as all pods would.
std::vector<Counts> Repacker::batches() const {
  std::vector<std::pair<double, Content>> ranked;
  for (const Content& content : all()) {
    const Amounts& size = *packing_.kinds()[content.kind].size;
    const auto first = static_cast<double>(std::max<int64_t>(size.front(), 1));
    ranked.emplace_back(size.size() > 1 ? static_cast<double>(size[1]) / first : 0, content);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<Counts> dealt((ranked.size() + kFewKinds - 1) / kFewKinds);
  for (size_t i = 0; i < ranked.size(); ++i) dealt[i % dealt.size()].push_back(ranked[i].second);
  return dealt;
}

std::optional<std::vector<Pack>> Repacker::pack_batch(const Counts& counts, Budget& budget) const {
  auto covering = pack_covering(packing_, counts, budget);
  if (covering && covering->close) return std::move(covering->packs);
  auto packs = by_programme(counts, {}, budget);
  if (!packs || (covering && cost_of(packing_, covering->packs) < cost_of(packing_, *packs)))
    return covering ? std::optional(std::move(covering->packs)) : std::nullopt;
  return packs;
}

// Packs kFewKinds kinds at a time: that is fast and close to the cheapest nodes, and a batch wastes at most a part of
// its last node.
void Repacker::in_batches() {
  Budget most{budget_.left * 3 / 4};
  budget_.spend(most.left);
  const std::vector<Counts> dealt = batches();
  std::vector<Pack> found;
  bool all = true;
  for (size_t i = 0; i < dealt.size() && all; ++i) {
    Budget share{most.left / static_cast<int64_t>(dealt.size() - i)};
    most.spend(share.left);
    const auto packs = pack_batch(dealt[i], share);
    most.left += std::max<int64_t>(share.left, 0);
    all = packs.has_value();
    if (all) found.insert(found.end(), packs->begin(), packs->end());
  }
  budget_.left += most.left;
  if (all) keep(std::move(found));
}

bool Repacker::share_a_column(const Pack& a, const Pack& b) const {
  const Column& column = packing_.columns()[a.column];
  return std::all_of(b.contents.begin(), b.contents.end(),
                     [&](const Content& c) { return packing_.allowed(column, packing_.kinds()[c.kind]); });
}

// Returns the price of the node minus the value of its pods (a lower bound of the price of their shares).
double Repacker::waste(const Pack& pack) const {
  double value = 0;
  for (const Content& content : pack.contents) value += packing_.kinds()[content.kind].value * content.count;
  return static_cast<double>(packing_.columns()[pack.column].price) - value;
}

size_t Repacker::wasteful() {
  size_t worst = prng_.below(packs_.size());
  for (int i = 1; i < kContest; ++i) {
    const size_t other = prng_.below(packs_.size());
    if (waste(packs_[other]) > waste(packs_[worst])) worst = other;
  }
  return worst;
}

std::vector<size_t> Repacker::choose() {
  std::vector<size_t> chosen{wasteful()};
  const size_t wanted = std::min(packs_.size(), 2 + prng_.below(kFew - 1));
  for (int tries = 0; tries < kPartnersTried && chosen.size() < wanted; ++tries) {
    const size_t other = wasteful();
    if (std::find(chosen.begin(), chosen.end(), other) != chosen.end()) continue;
    if (share_a_column(packs_[chosen.front()], packs_[other])) chosen.push_back(other);
  }
  return chosen;
}

bool Repacker::repack(const std::vector<size_t>& chosen) {
  const Counts counts = counts_of(packs_, chosen);
  std::vector<Pack> before;
  for (const size_t i : chosen) before.push_back(packs_[i]);
  const auto found = pack_greedily(packing_, counts, kRoundsOfFew, budget_);
  if (!found || cost_of(packing_, *found) >= cost_of(packing_, before)) return false;
  std::vector<size_t> gone = chosen;
  std::sort(gone.rbegin(), gone.rend());
  for (const size_t i : gone) {
    packs_[i] = std::move(packs_.back());
    packs_.pop_back();
  }
  packs_.insert(packs_.end(), found->begin(), found->end());
  return true;
}

void Repacker::few_at_a_time() {
  for (size_t idle = 0; idle < kTriesWithoutGain * packs_.size() && !budget_.spent(); ++idle) {
    if (repack(choose())) idle = 0;
  }
}

// Filling nodes by value finds poor plans if rules limit which pods share a node. Trading pods gains more per step
// then.
void Repacker::trade_pods() {
  const auto& kinds = packing_.kinds();
  if (std::none_of(kinds.begin(), kinds.end(), minds_company)) return;
  const int64_t kept = budget_.left / 2;
  budget_.left -= kept;
  trade(packing_, packs_, budget_);
  budget_.left += kept;
}

void Repacker::search() {
  const Variety variety = variety_of(packing_);
  if (variety != Variety::kFew && is_dear(packing_, packs_)) {
    in_batches();
  } else if (variety != Variety::kMany) {
    programme();
  }
  trade_pods();
  few_at_a_time();
}

}  // namespace tenon::scheduling
