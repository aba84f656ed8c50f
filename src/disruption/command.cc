// Problem: a command removes the first m candidates of an order and launches at most one node, as Karpenter's
// multi-node consolidation does. Which m gains the most? A pass of many small moves may gain less than one command,
// because each small move uses room that the command counts on. So search.cc compares both (docs/decisions/0019).
//
// Method:
//   1. A binary search finds the largest m for which the pods fit on the other nodes and one new node of any price. It
//      assumes that if m + 1 nodes can be replaced, m can: each further node adds pods and removes room.
//   2. From there m decreases. An estimate finds the cheapest replacement, and weigh() judges the move. The loop ends
//      when m nodes cost no more than the best gain so far (node prices included): fewer nodes cannot gain more.
//
// Example, with a node price of 0: the candidates cost 0.40, 0.30, 0.20 and 0.10 USD/h, the moves of the pass gain
// 0.45, and one new node has room for m = 3. At m = 3 the replacement costs 0.50: the gain of 0.40 is too small. At
// m = 2 it costs 0.20: the gain of 0.50 is the best. The loop ends at 2; search.cc compares single nodes itself.
//
// Cost: for 101 candidates, 7 questions in step 1 and at most 100 estimates in step 2, which stops after kMostSteps.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/command.h"

#include <algorithm>

#include "model/labels.h"

namespace tenon::disruption {
namespace {

// Steps of one best_command(), about 40 ns each.
constexpr int64_t kMostSteps = 200'000;

Nodes first(const Nodes& order, size_t count) {
  return Nodes(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
}

// Returns the largest m for which the pods of the first m nodes fit on one new node and the other nodes; 1 if those of
// the first 2 do not.
size_t most_that_one_replaces(RemovalEvaluator& evaluator, const Nodes& order) {
  size_t some = 1, too_many = order.size() + 1;
  while (too_many - some > 1) {
    const size_t count = some + (too_many - some) / 2;
    (evaluator.one_replaces(first(order, count)) ? some : too_many) = count;
  }
  return some;
}

}  // namespace

model::Price most_gain(const Nodes& nodes, model::Price node_price) {
  return price_of(nodes) + model::Price(static_cast<int64_t>(nodes.size()) * node_price.value());
}

bool worth_it(const Move& move, const Nodes& nodes, model::Price node_price) {
  const model::Price gain = gain_of(move, node_price);
  if (gain <= model::Price()) return false;
  const auto spot = [](const auto& node) { return node.launch.capacity_type == model::kCapacitySpot; };
  int64_t percent = move.replacements.size() > 1 ? kRepackGainPercent : 0;
  const bool with_fresh_estimate = std::any_of(move.replacements.begin(), move.replacements.end(), spot) ||
                                   std::any_of(nodes.begin(), nodes.end(), is_spot);
  if (with_fresh_estimate && !move.replacements.empty()) percent = kSpotGainPercent;
  return gain.value() >= price_of(nodes).value() / 100 * percent;
}

void name_consolidation(Move& move) {
  move.method = move.nodes.size() == 1 ? Method::kSingleNodeConsolidation : Method::kMultiNodeConsolidation;
  move.reason = "Underutilized";
}

Judgement weigh(RemovalEvaluator& evaluator, const Trial& trial, model::Price node_price) {
  Judgement judgement = evaluator.judge(trial.nodes, trial.estimate);
  if (!judgement.move) return judgement;
  if (!worth_it(*judgement.move, trial.nodes, node_price)) return {std::nullopt, ""};
  name_consolidation(*judgement.move);
  return judgement;
}

std::optional<Command> best_command(RemovalEvaluator& evaluator, const Nodes& order, model::Price node_price,
                                    model::Price above) {
  std::optional<Command> best;
  const int64_t last_step = evaluator.steps() + kMostSteps;
  for (size_t count = most_that_one_replaces(evaluator, order); count > 1; --count) {
    Nodes nodes = first(order, count);
    if (most_gain(nodes, node_price) <= above || evaluator.steps() > last_step) break;  // fewer nodes cost less
    if (evaluator.gain_bound(nodes) <= above) continue;
    const RemovalEvaluator::Estimate estimate = evaluator.estimate_command(nodes);
    if (!estimate.pays || estimate.gain <= above) continue;
    Trial trial{std::move(nodes), estimate};
    const Judgement judgement = weigh(evaluator, trial, node_price);
    if (!judgement.move || gain_of(*judgement.move, node_price) <= above) continue;
    above = gain_of(*judgement.move, node_price);
    best = {std::move(trial), above};
  }
  return best;
}

}  // namespace tenon::disruption
