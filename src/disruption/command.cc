// SPDX-License-Identifier: Apache-2.0
#include "disruption/command.h"

#include <algorithm>

#include "model/labels.h"

namespace tenon::disruption {
namespace {

// The work of one best_command(), about 40 ns each.
constexpr int64_t kMostSteps = 200'000;

Nodes first(const Nodes& order, size_t count) {
  return Nodes(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
}

// The most of the first nodes whose pods one new node and the other nodes have room for: with each further node there
// are more pods and less room.
size_t most_that_one_replaces(Simulation& simulation, const Nodes& order) {
  size_t some = 1, too_many = order.size() + 1;
  while (too_many - some > 1) {
    const size_t count = some + (too_many - some) / 2;
    (simulation.one_replaces(first(order, count)) ? some : too_many) = count;
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
  const bool priced_anew = std::any_of(move.replacements.begin(), move.replacements.end(), spot) ||
                           std::any_of(nodes.begin(), nodes.end(), is_spot);
  if (priced_anew && !move.replacements.empty()) percent = kSpotGainPercent;
  return gain.value() >= price_of(nodes).value() / 100 * percent;
}

void name_consolidation(Move& move) {
  move.method = move.nodes.size() == 1 ? Method::kSingleNodeConsolidation : Method::kMultiNodeConsolidation;
  move.reason = "Underutilized";
}

Judgement weigh(Simulation& simulation, const Trial& trial, model::Price node_price) {
  Judgement judgement = simulation.judge(trial.nodes, trial.estimate);
  if (!judgement.move) return judgement;
  if (!worth_it(*judgement.move, trial.nodes, node_price)) return {std::nullopt, ""};
  name_consolidation(*judgement.move);
  return judgement;
}

std::optional<Command> best_command(Simulation& simulation, const Nodes& order, model::Price node_price,
                                    model::Price above) {
  std::optional<Command> best;
  const int64_t last_step = simulation.steps() + kMostSteps;
  for (size_t count = most_that_one_replaces(simulation, order); count > 1; --count) {
    Nodes nodes = first(order, count);
    if (most_gain(nodes, node_price) <= above || simulation.steps() > last_step) break;  // fewer nodes cost less
    const Simulation::Estimate estimate = simulation.estimate_command(nodes);
    if (!estimate.pays || estimate.gain <= above) continue;
    Trial trial{std::move(nodes), estimate};
    const Judgement judgement = weigh(simulation, trial, node_price);
    if (!judgement.move || gain_of(*judgement.move, node_price) <= above) continue;
    above = gain_of(*judgement.move, node_price);
    best = {std::move(trial), above};
  }
  return best;
}

}  // namespace tenon::disruption
