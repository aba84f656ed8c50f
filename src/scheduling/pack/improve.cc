// Improves the new nodes of a feasible plan.
//
// The problem is vector bin packing with bins of several sizes and prices: pods are vectors of requests, nodes are
// bins, and a bin costs its instance and the node price. It is NP-hard even with one resource and one size, so the work
// is limited in steps.
//
// The method depends on the size of the problem. A few pods are searched through by branch and bound (exact.h).
// Otherwise the new nodes become a packing problem of pod kinds and offerings (packing.h), and the Repacker
// (repacker.h) solves it: easy cases at once, the others by column generation and local search. These are searched
// twice, because the node price decides in which local optimum the search ends: first at another node price, then from
// the better plan at the price of the options (docs/decisions/0024). At the end a State is built pod by pod, which
// checks every rule.
//
// If the cluster may not have as many nodes as the plan, the node price serves as the Lagrange multiplier of that
// limit: it is raised until the plan has few enough nodes, and then bisected. Example: 10 more nodes are allowed, and
// at a node price of 0 the plan has 14. At 0.02 USD/h it has 12, at 0.06 it has 9: the next prices are 0.04, then 0.03
// or 0.05.
//
// Cost: a step considers one pod kind for one node. For each node price there are up to three searches, each of up to
// kStepsPerPod × pods steps and no more than the limit for its variety of kinds. Up to kDearerNodes prices are added.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/improve.h"

#include <algorithm>
#include <optional>

#include "scheduling/pack/exact.h"
#include "scheduling/pack/repacker.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kExactSteps = 60'000;
// The most steps of each search; the caller may allow fewer. With few kinds of pods, more pods hardly need more steps,
// and a large batch must not wait long. With many kinds, the limit grows with the number of pods.
constexpr int64_t kStepsPerPod = 8'000;
constexpr int64_t kFewKindsSteps = 1'000'000'000, kFewKindsLeast = 200'000, kFewKindsMost = 1'000'000;  // first / pods
constexpr int64_t kSomeKindsSteps = 2'000'000, kSomeKindsPerPod = 25;
constexpr int64_t kManyKindsSteps = 250'000, kManyKindsPerPod = 40, kManyKindsMost = 1'000'000;
constexpr int64_t kStepsPerKind = 5'000;  // of many kinds, if is_dear()
constexpr model::Price kFirstPrice(model::kPicoPerUsd / 100);
constexpr int64_t kDearInstance = 1'000;                  // times the node price
constexpr int kDearerNodes = 8;                           // node prices that are tried for fewer nodes
constexpr int64_t kTimesDearer = 3;                       // the node price, from one try to the next
constexpr model::Price kDearer(model::kPicoPerUsd / 50);  // the first raised price, at least

int64_t most_steps(const Packing& packing) {
  const auto pods = static_cast<int64_t>(packing.problem().pods.size());
  const auto most = [&] {
    switch (variety_of(packing)) {
      case Variety::kFew: return std::clamp(kFewKindsSteps / pods, kFewKindsLeast, kFewKindsMost);
      case Variety::kSome: return kSomeKindsSteps + kSomeKindsPerPod * pods;
      case Variety::kMany: break;
    }
    if (is_dear(packing, packing.packs())) return kStepsPerKind * static_cast<int64_t>(packing.kinds().size());
    return std::min(kManyKindsMost, kManyKindsSteps + kManyKindsPerPod * pods);
  };
  return std::min(kStepsPerPod * pods, most());
}

// Returns the node price of the first search, which makes the second one end in better plans (docs/decisions/0024).
// Returns std::nullopt if both searches would be equal, or nearly so, where rules by hostname decide the number of
// nodes and an instance costs far more than the node price.
std::optional<model::Price> first_price(const Packing& packing, model::Price node_price) {
  if (variety_of(packing) == Variety::kFew)
    return node_price > model::Price() ? std::optional(model::Price()) : std::nullopt;
  const auto& kinds = packing.kinds();
  const int64_t mean = packing.paid() / static_cast<int64_t>(packing.packs().size());
  const bool dear = mean > std::max(kFirstPrice, node_price).value() * kDearInstance;
  if (dear && std::any_of(kinds.begin(), kinds.end(), minds_company)) return std::nullopt;
  return kFirstPrice;
}

// Searches from `packs` at this node price within `steps`, and adds the steps done to `done`.
std::vector<Pack> search(Packing& packing, model::Price node_price, std::vector<Pack> packs, int64_t steps,
                         int64_t& done) {
  packing.reprice(node_price);
  const Budget most{std::min(steps, most_steps(packing))};
  Budget budget = most;
  Repacker repacker(packing, budget, std::move(packs));
  repacker.search();
  done += most.left - budget.left;
  return std::move(repacker).packs();
}

// Improves the plan at this node price. Returns true if the cheapest packing has more nodes than the cluster may have.
bool repack_at(State& plan, model::Price node_price, int64_t steps, int64_t& done) {
  const int64_t end = done + steps;
  Packing packing(plan, node_price);
  if (packing.packs().empty()) return false;
  const Budget most{std::min(steps, most_steps(packing))};
  Budget budget = most;
  Repacker at_once(packing, budget, packing.packs());
  const bool settled = at_once.settle();
  done += most.left - budget.left;
  const Cost paid{packing.paid(), packing.packs().size()};
  std::vector<std::vector<Pack>> found;
  found.push_back(std::move(at_once).packs());
  if (!settled) {
    if (cost_of(packing, found.front()) >= paid) found.clear();
    std::vector<Pack> packs = packing.packs();
    if (const auto price = first_price(packing, node_price)) {
      std::vector<Pack> first = search(packing, *price, packs, (end - done) / 2, done);
      packing.reprice(node_price);
      if (cost_of(packing, first) < cost_of(packing, packs)) packs = std::move(first);
    }
    found.push_back(search(packing, node_price, std::move(packs), end - done, done));
  }
  const size_t kept = plan.fresh_bins() - packing.packs().size();
  const bool too_many = static_cast<int64_t>(kept + found.back().size()) > plan.problem().node_room;
  std::optional<State> best;
  for (const std::vector<Pack>& packs : found) {
    if (cost_of(packing, packs) >= paid || static_cast<int64_t>(kept + packs.size()) > plan.problem().node_room)
      continue;
    std::optional<State> better = packing.realise(packs);
    if (better && objective(*better) < objective(best ? *best : plan)) best = std::move(better);
  }
  if (best) plan = std::move(*best);
  return too_many;
}

// If the cluster may not have as many nodes as the cheapest packing, raises the node price until it has few enough, and
// then bisects for the lowest such price. Plans are compared at the node price of the options.
int64_t repack(State& plan, int64_t steps) {
  model::Price low = plan.problem().options.node_price;
  std::optional<model::Price> high;  // with few enough nodes
  int64_t done = 0;
  if (!repack_at(plan, low, steps, done)) return done;
  for (int tries = 0; tries < kDearerNodes; ++tries) {
    const model::Price node_price = high ? model::Price((low.value() + high->value()) / 2)
                                         : std::max(kDearer, model::Price(low.value() * kTimesDearer));
    const bool too_many = repack_at(plan, node_price, steps, done);
    (too_many ? low : high.emplace()) = node_price;
  }
  return done;
}

}  // namespace

int64_t improve(State& plan, int64_t steps) {
  if (steps <= 0 || objective(plan) <= Objective{}) return 0;  // no new nodes, no unschedulable pods
  const Problem& problem = plan.problem();
  if (small_enough(problem)) return search_all(plan, std::min(steps, kExactSteps));
  return repack(plan, steps);
}

}  // namespace tenon::scheduling
