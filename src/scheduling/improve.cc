// A handful of pods is searched through (exact.h). Otherwise the nodes to buy become a packing problem (packing.h): all
// of it is solved at once, exactly if there are few kinds of pods, by its resources if nodes are large beside pods, as
// a linear programme and greedily if there are some kinds. Otherwise single pods are traded, and a few nodes at a time
// are emptied and packed again, while that saves money. Only at the end is a State built, which checks every rule.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/improve.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/prng.h"
#include "scheduling/exact.h"
#include "scheduling/pack.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kExactSteps = 20'000;
// What is spent at most, whatever the caller allows. With few kinds of pods the work hardly grows with their number,
// and large batches must not wait; with many kinds it is a share for each pod.
constexpr int64_t kStepsPerPod = 8'000;
constexpr int64_t kFewKindsSteps = 1'000'000'000, kFewKindsLeast = 200'000, kFewKindsMost = 1'000'000;  // by pods
constexpr int64_t kSomeKindsSteps = 2'000'000;
constexpr int64_t kManyKindsSteps = 250'000, kManyKindsPerPod = 40, kManyKindsMost = 1'000'000;
constexpr size_t kFewKinds = 64;    // more of them, with rules about the company: only a few nodes at a time
constexpr size_t kSomeKinds = 256;  // with more the linear programme is too large
constexpr int64_t kCoverShare = 4;  // one step in so many, beside the others'
constexpr int kRoundsAtOnce = 12, kRoundsOfFew = 1;
constexpr size_t kFew = 6;               // nodes that are emptied at a time
constexpr size_t kTriesWithoutGain = 8;  // per node
constexpr int kPartnersTried = 8;
constexpr int kDearerNodes = 8;                           // tries to pack fewer nodes
constexpr int64_t kTimesDearer = 3;                       // a node, from one try to the next
constexpr model::Price kDearer(model::kPicoPerUsd / 50);  // the first of them, at least
constexpr int kContest = 3;                               // of so many nodes drawn the most wasteful is taken

Counts counts_of(const std::vector<Pack>& packs, const std::vector<size_t>& chosen) {
  std::map<size_t, int> sum;
  for (const size_t i : chosen) {
    for (const Content& content : packs[i].contents) sum[content.kind] += content.count;
  }
  Counts counts;
  for (const auto& [kind, count] : sum) counts.push_back({kind, count});
  return counts;
}

// Whether all nodes can be packed again at once.
bool at_once(const std::vector<PodKind>& kinds) {
  const auto minds = [](const PodKind& kind) { return kind.minds_company(); };
  return kinds.size() <= kFewKinds || (kinds.size() <= kSomeKinds && std::none_of(kinds.begin(), kinds.end(), minds));
}

class Repacker {
 public:
  Repacker(const Packing& packing, Budget& budget) : packing_(packing), budget_(budget), packs_(packing.packs()) {}
  std::vector<Pack> run();

 private:
  bool all_at_once();
  void keep(std::vector<Pack> packs);
  bool cover(const Counts& counts);
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
  std::vector<Pack> beside_;  // nodes that cover all pods' resources
  int64_t covered_ = 0;       // steps for those
  Prng prng_{1};
};

void Repacker::keep(std::vector<Pack> packs) {
  if (cost_of(packing_, packs) < cost_of(packing_, packs_)) packs_ = std::move(packs);
}

// Returns true if the plan is so close to the bound that no other method needs to run. Otherwise the plan is kept as an
// alternative and not passed to the other methods: they find better plans from nodes of other kinds.
bool Repacker::cover(const Counts& counts) {
  const Budget share{budget_.left / kCoverShare};
  Budget left = share;
  auto covering = pack_covering(packing_, counts, left);
  covered_ = share.left - left.left;
  if (!covering) return false;
  beside_ = std::move(covering->packs);
  return covering->close;
}

// True if hardly anything better can come.
bool Repacker::all_at_once() {
  std::vector<size_t> all(packs_.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Counts counts = counts_of(packs_, all);
  if (!at_once(packing_.kinds())) return cover(counts);
  Budget most{budget_.left * 3 / 4};
  const int64_t kept = budget_.left - most.left;
  auto found = pack_exactly(packing_, counts, most);
  const bool done = found || cover(counts);
  if (!done) {
    found = pack_greedily(packing_, counts, kRoundsAtOnce, most);
    const std::span<const Pack> known = found ? *found : packs_;
    auto dived = pack_by_programme(packing_, counts, known, most);
    if (dived && (!found || cost_of(packing_, *dived) < cost_of(packing_, *found))) found = std::move(dived);
  }
  budget_.left = kept + std::max<int64_t>(most.left, 0);
  if (found) keep(std::move(*found));
  return done;
}

bool Repacker::share_a_column(const Pack& a, const Pack& b) const {
  const Column& column = packing_.columns()[a.column];
  return std::all_of(b.contents.begin(), b.contents.end(),
                     [&](const Content& c) { return packing_.allowed(column, packing_.kinds()[c.kind]); });
}

// What is paid beyond the least that its pods' shares cost anywhere.
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

// Filling nodes by value goes wrong where pods mind their company; there one pod for another does more for its steps.
void Repacker::trade_pods() {
  const auto& kinds = packing_.kinds();
  if (std::none_of(kinds.begin(), kinds.end(), [](const PodKind& kind) { return kind.minds_company(); })) return;
  const int64_t kept = budget_.left / 2;
  budget_.left -= kept;
  trade(packing_, packs_, budget_);
  budget_.left += kept;
}

std::vector<Pack> Repacker::run() {
  if (!all_at_once()) {
    trade_pods();
    few_at_a_time();
  }
  if (!beside_.empty()) keep(std::move(beside_));
  budget_.spend(covered_);
  return std::move(packs_);
}

int64_t most_steps(const std::vector<PodKind>& kinds, int64_t pods) {
  if (kinds.size() <= kFewKinds) return std::clamp(kFewKindsSteps / pods, kFewKindsLeast, kFewKindsMost);
  return at_once(kinds) ? kSomeKindsSteps : std::min(kManyKindsMost, kManyKindsSteps + kManyKindsPerPod * pods);
}

// `too_many`: what would be better has more nodes than the cluster may have.
int64_t repack_at(State& plan, model::Price node_price, int64_t steps, bool& too_many) {
  const Packing packing(plan, node_price);
  too_many = false;
  if (packing.packs().empty()) return 0;
  const auto pods = static_cast<int64_t>(plan.problem().pods.size());
  steps = std::min({steps, kStepsPerPod * pods, most_steps(packing.kinds(), pods)});
  Budget budget{steps};
  std::vector<Pack> packs = Repacker(packing, budget).run();
  const size_t nodes = plan.fresh_bins() - packing.packs().size() + packs.size();
  too_many = static_cast<int64_t>(nodes) > plan.problem().node_room;
  if (!too_many && cost_of(packing, packs) < Cost{packing.paid(), packing.packs().size()}) {
    if (auto better = packing.realise(packs); better && objective(*better) < objective(plan)) {
      plan = std::move(*better);
    }
  }
  return steps - budget.left;
}

// Near the limit of the cluster's size nodes are made dearer until so few of them are the cheapest, and then by halves
// as little as that takes. What is better is judged by the price that the options name.
int64_t repack(State& plan, int64_t steps) {
  model::Price low = plan.problem().options.node_price;
  std::optional<model::Price> high;  // with which there are few enough
  bool too_many = false;
  int64_t done = repack_at(plan, low, steps, too_many);
  if (!too_many) return done;
  for (int tries = 0; tries < kDearerNodes; ++tries) {
    const model::Price node_price = high ? model::Price((low.value() + high->value()) / 2)
                                         : std::max(kDearer, model::Price(low.value() * kTimesDearer));
    done += repack_at(plan, node_price, steps, too_many);
    (too_many ? low : high.emplace()) = node_price;
  }
  return done;
}

}  // namespace

int64_t improve(State& plan, int64_t steps) {
  if (steps <= 0 || objective(plan) <= Objective{}) return 0;  // nothing to buy, nothing left behind
  const Problem& problem = plan.problem();
  if (small_enough(problem)) return search_all(plan, std::min(steps, kExactSteps));
  return repack(plan, steps);
}

}  // namespace tenon::scheduling
