// A handful of pods is searched through (exact.h). Otherwise the nodes to launch become a packing problem (packing.h),
// whose nodes are packed anew (repacker.h): first at another price of a node, then at the one that the options name.
// At the end a State is built, which checks every rule.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/improve.h"

#include <algorithm>
#include <optional>

#include "scheduling/exact.h"
#include "scheduling/repacker.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kExactSteps = 60'000;
// The most steps of each search; the caller may allow fewer. With few kinds of pods, more pods hardly need more steps,
// and large batches must not wait. With many kinds, the limit grows with the number of pods.
constexpr int64_t kStepsPerPod = 8'000;
constexpr int64_t kFewKindsSteps = 1'000'000'000, kFewKindsLeast = 200'000, kFewKindsMost = 1'000'000;  // by pods
constexpr int64_t kSomeKindsSteps = 2'000'000;
constexpr int64_t kManyKindsSteps = 250'000, kManyKindsPerPod = 40, kManyKindsMost = 1'000'000;
constexpr model::Price kFirstPrice(model::kPicoPerUsd / 100);
constexpr int kDearerNodes = 8;                           // tries to pack fewer nodes
constexpr int64_t kTimesDearer = 3;                       // a node, from one try to the next
constexpr model::Price kDearer(model::kPicoPerUsd / 50);  // the first of them, at least

int64_t most_steps(const Packing& packing) {
  const auto pods = static_cast<int64_t>(packing.problem().pods.size());
  const auto most = [&] {
    switch (variety_of(packing)) {
      case Variety::kFew: return std::clamp(kFewKindsSteps / pods, kFewKindsLeast, kFewKindsMost);
      case Variety::kSome: return kSomeKindsSteps;
      case Variety::kMany: break;
    }
    return std::min(kManyKindsMost, kManyKindsSteps + kManyKindsPerPod * pods);
  };
  return std::min(kStepsPerPod * pods, most());
}

enum class Way { kAtOnce, kSearch };

struct Found {
  std::optional<State> plan;  // a better plan; nothing if none was found
  Variety variety = Variety::kFew;
  bool settled = false;   // a search would hardly find a better plan
  bool too_many = false;  // the better plan has more nodes than the cluster may have
};

Found pack_again(const State& plan, model::Price node_price, Way way, int64_t steps, int64_t& done) {
  const Packing packing(plan, node_price);
  Found found{.plan = {}, .variety = variety_of(packing), .settled = packing.packs().empty()};
  if (found.settled) return found;
  const Budget most{std::min(steps, most_steps(packing))};
  Budget budget = most;
  Repacker repacker(packing, budget);
  if (way == Way::kAtOnce) {
    found.settled = repacker.settle();
  } else {
    repacker.search();
  }
  done += most.left - budget.left;
  const std::vector<Pack>& packs = repacker.packs();
  const size_t nodes = plan.fresh_bins() - packing.packs().size() + packs.size();
  found.too_many = static_cast<int64_t>(nodes) > plan.problem().node_room;
  if (found.too_many || cost_of(packing, packs) >= Cost{packing.paid(), packing.packs().size()}) return found;
  found.plan = packing.realise(packs);
  if (found.plan && objective(*found.plan) >= objective(plan)) found.plan.reset();
  return found;
}

// Returns the node price of the first search, which makes the second one end in better plans (docs/decisions/0024).
// Returns nothing if both searches would be the same.
std::optional<model::Price> first_price(Variety variety, model::Price node_price) {
  if (variety != Variety::kFew) return kFirstPrice;
  return node_price > model::Price() ? std::optional(model::Price()) : std::nullopt;
}

// Returns true if the better plan has more nodes than the cluster may have.
bool repack_at(State& plan, model::Price node_price, int64_t steps, int64_t& done) {
  const int64_t end = done + steps;
  Found at_once = pack_again(plan, node_price, Way::kAtOnce, steps, done);
  bool too_many = at_once.too_many;
  if (!at_once.settled) {
    if (const auto price = first_price(at_once.variety, node_price)) {
      if (auto start = pack_again(plan, *price, Way::kSearch, (end - done) / 2, done).plan) plan = std::move(*start);
    }
    Found last = pack_again(plan, node_price, Way::kSearch, end - done, done);
    too_many = last.too_many;
    if (last.plan) plan = std::move(*last.plan);
  }
  if (at_once.plan && objective(*at_once.plan) < objective(plan)) plan = std::move(*at_once.plan);
  return too_many;
}

// Near the limit of the cluster's size, raises the price of a node until the cheapest plan has few enough nodes, and
// then bisects for the lowest such price. Plans are compared at the price that the options name.
int64_t repack(State& plan, int64_t steps) {
  model::Price low = plan.problem().options.node_price;
  std::optional<model::Price> high;  // with which there are few enough
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
  if (steps <= 0 || objective(plan) <= Objective{}) return 0;  // nothing to buy, nothing left behind
  const Problem& problem = plan.problem();
  if (small_enough(problem)) return search_all(plan, std::min(steps, kExactSteps));
  return repack(plan, steps);
}

}  // namespace tenon::scheduling
