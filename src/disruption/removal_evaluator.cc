// Problem: some nodes are removed. Do their pods fit on the other nodes and on new nodes that cost less? A pass asks
// thousands of such questions about one cluster.
//
// Method: from the least to the most expensive test; a set that fails one is not tested further.
//   1. Lower bound (WhatIf::price_bound()): unit prices of the requests that no other node has room for. If the new
//      nodes cost at least as much as the removed ones, no placement is tried.
//   2. Estimate: first fit in the compiled State of the cluster (docs/decisions/0006), on the other nodes and at most
//      one new node that is cheaper than all removed nodes together. Then on several new nodes that together gain
//      kRepackGainPercent or more, below up to kStepsTried price caps, each half of the one before. The highest gain
//      wins. A plan that launches from lighter NodePools is skipped.
//   3. Judgement: the plan in detail. Types that may cost too much are dropped (replacement.h), the gain must be worth
//      the disruption (required_savings.h), and the forecast of kube-scheduler must have room for all evicted pods
//      (docs/decisions/0016, 0018).
// repack() judges one plan of solve() with improvement in place of an estimate, for many nodes at once.
//
// Example, with a node price of 0: two nodes at 0.192 USD/h are removed. The pods that fit on no other node need at
// least 0.150, which is less than 0.384, so first fit runs: it fills the other nodes and one new node at 0.192. The
// gain is 0.192. Several new nodes must now cost less than 0.192 together. Below a cap of 0.250 each the bound is
// 0.160: first fit runs again. Below 0.125 it is 0.200: skipped.
//
// Cost: 1. takes O(pods of the nodes). 2. places the pods that move at most 1 + kStepsTried times, plus retries, and
// undoes the changes; it grows with these pods, not with the cluster. 3. runs about 100 forecasts of them at most.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/removal_evaluator.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "disruption/cost.h"
#include "disruption/replacement.h"
#include "model/labels.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"

namespace tenon::disruption {
namespace {

using scheduling::NodeView;
using scheduling::PlannedNode;
using scheduling::Snapshot;
using scheduling::Solution;
using scheduling::WhatIf;

constexpr size_t kNamed = 5;  // pods in a message
constexpr size_t kAnyNumber = static_cast<size_t>(-1);
constexpr int kStepsTried = 3;  // price caps, each half of the one before; more seldom gain more
// If a move evicts kManyPods pods or more, kube-scheduler nearly always leaves one of them without room. Such a move
// may spend this share of its savings on new nodes for those pods.
constexpr size_t kManyPods = 50;
constexpr int64_t kPaidAgainPercent = 25;

using Keys = std::unordered_set<std::string>;

Keys moving_pods(const Nodes& nodes) {
  Keys keys;
  for (const Candidate* candidate : nodes) {
    for (const auto& pod : candidate->node->pods) {
      if (reschedulable(*pod)) keys.insert(pod->key());
    }
  }
  return keys;
}

// Returns whether the node accepts no displaced pods: it is not initialized, or its own pods changed a moment ago.
bool closed_to_displaced(const Snapshot& snapshot, const NodeView& node) {
  if (!node.managed()) return false;
  if (!node.initialized()) return true;
  const scheduling::PoolView* view = snapshot.pool(node.pool());
  return view && view->pool->consolidate_after && !view->pool->replicas && !node.claim->is(model::kConsolidatable);
}

std::set<std::string> waiting_nodes(const Options& options) {
  std::set<std::string> nodes;
  for (const Move& move : options.waiting) nodes.insert(move.nodes.begin(), move.nodes.end());
  return nodes;
}

std::set<std::string> closed_nodes(const Snapshot& snapshot, const Options& options) {
  std::set<std::string> closed = waiting_nodes(options);
  for (const NodeView& node : snapshot.nodes) {
    if (closed_to_displaced(snapshot, node)) closed.insert(node.name());
  }
  return closed;
}

std::string sentence(const std::vector<std::pair<std::string, std::string>>& named, size_t count) {
  std::string text = "Not all pods would schedule, ";
  for (const auto& [key, why] : named) text += key + " => " + why + " ";
  if (count > named.size()) text += "and " + std::to_string(count - named.size()) + " other(s) ";
  return text;
}

std::string unplaced_sentence(const Solution& solution, const auto& counts) {
  std::vector<std::pair<std::string, std::string>> named;
  size_t count = 0;
  for (const auto& [key, why] : solution.unschedulable) {
    if (counts(key) && ++count <= kNamed) named.emplace_back(key, why.message);
  }
  return count == 0 ? "" : sentence(named, count);
}

std::string left_out_sentence(const std::string& pod) {
  return "kube-scheduler is likely to place the pods so that pod " + pod + " finds no room";
}

// Rejects a plan that places pods on nodes that are not initialized: they may never become ready.
std::string unready_sentence(const Snapshot& snapshot, const Move& move) {
  for (const NodeView& node : snapshot.nodes) {
    if (!node.managed() || node.initialized() || !move.pods_to_existing.contains(node.name())) continue;
    const std::string joined = node.node ? ", node/" + node.node->meta.name : "";
    return "Would schedule against uninitialized nodeclaim/" + node.claim->meta.name + joined;
  }
  return "";
}

// Returns the options of solve() without the nodes that are already being removed.
scheduling::SolveOptions without_the_gone(const Snapshot& snapshot, const Options& options) {
  scheduling::SolveOptions solve = options.solve;
  solve.gone_nodes_are_domains = true;
  std::set<std::string> gone(options.in_progress.begin(), options.in_progress.end());
  for (const NodeView& node : snapshot.nodes) {
    if (node.deleting()) gone.insert(node.name());
  }
  solve.removed_nodes.assign(gone.begin(), gone.end());
  return solve;
}

// Returns the least gain of a move that replaces these nodes with several.
model::Price enough_of_several(const Nodes& nodes) {
  return model::Price(price_of(nodes).value() / 100 * kRepackGainPercent);
}

bool all_spot(const Nodes& nodes) { return std::all_of(nodes.begin(), nodes.end(), is_spot); }

// Returns whether a NodePool has minValues, so that a price limit may leave too few types.
bool asks_for_variety(const Snapshot& snapshot) {
  return std::any_of(snapshot.pools.begin(), snapshot.pools.end(), [](const auto& view) {
    const auto& specs = view.pool->node_template.requirements;
    return std::any_of(specs.begin(), specs.end(), [](const auto& spec) { return spec.min_values.has_value(); });
  });
}

Move move_of(const Nodes& nodes) {
  Move move;
  for (const Candidate* candidate : nodes) {
    move.nodes.push_back(candidate->name());
    move.savings += candidate->price;
    move.disruption_cost_milli += candidate->cost_milli;
  }
  std::sort(move.nodes.begin(), move.nodes.end());
  return move;
}

// Pending pods that fit on a closed node count as placed there. Pending pods that fit on no node are dropped: the
// provisioner launches nodes for them.
Snapshot settle_pending(const Snapshot& snapshot, const Options& options, const std::vector<std::string>& closed) {
  Snapshot settled = snapshot;
  settled.pending.clear();
  std::map<std::string_view, std::vector<scheduling::PodPtr>> there;
  for (const scheduling::PodPtr& pod : snapshot.pending) {
    const auto at = options.keep_placed.find(pod->key());
    if (at == options.keep_placed.end()) continue;
    const bool stays = std::find(closed.begin(), closed.end(), at->second) != closed.end();
    (stays ? there[at->second] : settled.pending).push_back(pod);
  }
  for (NodeView& node : settled.nodes) {
    const auto at = there.find(node.name());
    if (at == there.end()) continue;
    std::vector<scheduling::PodPtr>& pods = node.pods.edit();
    pods.insert(pods.end(), at->second.begin(), at->second.end());
  }
  return settled;
}

// Returns the judgement of solve(), before prices are considered.
Judgement plan_without(const Snapshot& snapshot, const Options& options, const Nodes& nodes,
                       scheduling::SolveOptions solve) {
  for (const Candidate* candidate : nodes) solve.removed_nodes.push_back(candidate->name());
  const Solution solution = snapshot.pending.empty()
                                ? scheduling::solve(snapshot, solve)
                                : scheduling::solve(settle_pending(snapshot, options, solve.closed_nodes), solve);
  const Keys moving = moving_pods(nodes);
  const auto placed = [&](const std::string& key) { return moving.contains(key) || options.keep_placed.contains(key); };
  if (std::string text = unplaced_sentence(solution, placed); !text.empty()) return {std::nullopt, text};
  Move move = move_of(nodes);
  for (const auto& [name, keys] : solution.existing) {
    std::vector<std::string> ours;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(ours),
                 [&](const auto& key) { return moving.contains(key); });
    if (!ours.empty()) move.pods_to_existing[name] = std::move(ours);
  }
  if (std::string text = unready_sentence(snapshot, move); !text.empty()) return {std::nullopt, text};
  for (const PlannedNode& node : solution.new_nodes) {
    if (std::any_of(node.pods.begin(), node.pods.end(), placed)) move.replacements.push_back(node);
  }
  return {std::move(move), ""};
}

// Subtracts the price of the replacements from the savings. Rejects the move if the rest is not worth the disruption.
Judgement priced(const Snapshot& snapshot, const Options& options, const Nodes& nodes, Move move) {
  if (std::string why = make_cheaper(snapshot, options, nodes, move.replacements); !why.empty())
    return {std::nullopt, why};
  for (const PlannedNode& node : move.replacements) move.savings -= node.launch.price;
  const model::Price gain = gain_of(move, options.solve.node_price);
  std::string why = objection(options.worth, nodes, gain);
  if (options.observer && gain > model::Price())
    options.observer->weighed(scores(options.worth, nodes, gain), why.empty());
  if (!why.empty()) return {std::nullopt, why};
  move.approved = approvals(options.worth, nodes, gain);
  return {std::move(move), ""};
}

}  // namespace

Judgement evaluate_removal(const Snapshot& snapshot, const Options& options, const Nodes& nodes,
                           ReplacementPrice replacement_price) {
  if (replacement_price == ReplacementPrice::kLower) return RemovalEvaluator(snapshot, options, nodes).judge(nodes);
  scheduling::SolveOptions solve = without_the_gone(snapshot, options);
  std::set<std::string> closed = waiting_nodes(options);
  for (const NodeView& node : snapshot.nodes) {  // these may never become ready
    if (node.managed() && !node.initialized()) closed.insert(node.name());
  }
  solve.closed_nodes.assign(closed.begin(), closed.end());
  Judgement judgement = plan_without(snapshot, options, nodes, std::move(solve));
  if (!judgement.move) return judgement;
  for (const PlannedNode& node : judgement.move->replacements) judgement.move->savings -= node.launch.price;
  return judgement;
}

Judgement repack(const Snapshot& snapshot, const Options& options, const Nodes& nodes, model::Price least) {
  scheduling::SolveOptions solve = without_the_gone(snapshot, options);
  const std::set<std::string> closed = closed_nodes(snapshot, options);
  solve.closed_nodes.assign(closed.begin(), closed.end());
  solve.all_or_nothing = true;
  Judgement judgement = plan_without(snapshot, options, nodes, std::move(solve));
  if (judgement.move) judgement = priced(snapshot, options, nodes, std::move(*judgement.move));
  if (judgement.move && gain_of(*judgement.move, options.solve.node_price) < least) {
    return {std::nullopt, "Repacking the pods saves less than other moves"};
  }
  if (!judgement.move || !options.forecast) return judgement;
  size_t pods = 0;
  for (const Candidate* candidate : nodes) {
    pods += static_cast<size_t>(std::count_if(candidate->node->pods.begin(), candidate->node->pods.end(),
                                              [](const auto& pod) { return reschedulable(*pod); }));
  }
  const int64_t percent = pods < kManyPods ? 0 : kPaidAgainPercent;
  const model::Price risk(gain_of(*judgement.move, options.solve.node_price).value() / 100 * percent);
  const std::string pod =
      RemovalEvaluator(snapshot, options, nodes).forecast_unschedulable(nodes, risk, judgement.move->replacements);
  if (!pod.empty()) return {std::nullopt, left_out_sentence(pod)};
  return judgement;
}

RemovalEvaluator::RemovalEvaluator(const Snapshot& snapshot, const Options& options, const Nodes& removable)
    : snapshot_(snapshot),
      options_(options),
      world_(snapshot, without_the_gone(snapshot, options), names(removable), closed_nodes(snapshot, options)),
      steps_(world_.price_steps()),
      weights_differ_(std::any_of(snapshot.pools.begin(), snapshot.pools.end(), [&](const auto& view) {
        return view.pool->weight != snapshot.pools.front().pool->weight;
      })) {}

std::vector<size_t> RemovalEvaluator::indexes(const Nodes& nodes) const {
  std::vector<size_t> indexes;
  for (const Candidate* candidate : nodes) indexes.push_back(*world_.find(candidate->name()));
  return indexes;
}

bool RemovalEvaluator::open(const Candidate& candidate) const {
  const auto node = world_.find(candidate.name());
  return node && !world_.settled(*node);
}

model::Price RemovalEvaluator::beside(size_t nodes) const {
  return model::Price(static_cast<int64_t>(nodes) * options_.solve.node_price.value());
}

model::Price RemovalEvaluator::pods_price_bound(const Nodes& nodes) const {
  return world_.pods_price_bound(indexes(nodes));
}

// Price breaks ties between NodePools of equal weight only. Otherwise consolidation would remove the nodes that drift
// or provisioning chose by weight. Returns whether the last answer launches a node for a pod from a NodePool that is
// lighter than the pod's own one and than the one that a launch at any price uses (`usual`, computed when it is
// needed).
// parity: the replacement is scheduled before its types are filtered by price
bool RemovalEvaluator::lowers_weight(const Nodes& nodes, std::optional<Weights>& usual) {
  const Weights weights = world_.launch_weights();
  std::vector<size_t> lighter;
  for (const Candidate* candidate : nodes) {
    const scheduling::PoolView* own = snapshot_.pool(candidate->node->pool());
    if (!own) continue;
    for (const size_t pod : world_.pods_of(*world_.find(candidate->name()))) {
      const auto at = weights.find(pod);
      if (at != weights.end() && at->second < own->pool->weight) lighter.push_back(pod);
    }
  }
  if (lighter.empty()) return false;
  if (!usual) {
    const bool all_placed = world_.without(indexes(nodes), {.most = kAnyNumber}).all_placed;
    usual = all_placed ? world_.launch_weights() : Weights();
  }
  return std::any_of(lighter.begin(), lighter.end(), [&](size_t pod) {
    const auto at = usual->find(pod);
    return at != usual->end() && weights.at(pod) < at->second;
  });
}

void RemovalEvaluator::consider(const Nodes& nodes, const WhatIf::Offer& offer, std::optional<Weights>& usual,
                                Estimate& best) {
  const WhatIf::Answer answer = world_.without(indexes(nodes), offer);
  if (!answer.all_placed) return;
  if (answer.may_be_spot && !options_.spot_to_spot && all_spot(nodes)) return;
  const model::Price savings = price_of(nodes) - answer.price;
  const model::Price gain = savings + beside(nodes.size()) - beside(answer.new_nodes);
  if (gain <= best.gain || (answer.new_nodes > 1 && gain < enough_of_several(nodes))) return;
  if (weights_differ_ && answer.new_nodes > 0 && lowers_weight(nodes, usual)) return;
  best = {true, savings, gain, offer};
}

// Tries the existing nodes, with at most one new node. Returns false if several new nodes cannot gain more.
bool RemovalEvaluator::try_one_new_node(const Nodes& nodes, const WhatIf::Needs& needs, std::optional<Weights>& usual,
                                        Estimate& best) {
  const model::Price all = price_of(nodes) + beside(nodes.size());
  const model::Price for_one = all - beside(1);  // limit of the instance price of one new node
  const model::Price least = world_.price_bound(needs, for_one);
  if (least >= (least > model::Price() ? for_one : all)) return false;
  consider(nodes, {.most = 1, .below = for_one}, usual, best);
  return best.gain != all;
}

model::Price RemovalEvaluator::gain_bound(const Nodes& nodes) {
  const model::Price all = price_of(nodes) + beside(nodes.size());
  const model::Price least = world_.price_bound(world_.needs(indexes(nodes)), all);
  return all - least - beside(least > model::Price() ? 1 : 0);
}

RemovalEvaluator::Estimate RemovalEvaluator::estimate_command(const Nodes& nodes) {
  Estimate best;
  std::optional<Weights> usual;
  try_one_new_node(nodes, world_.needs(indexes(nodes)), usual, best);
  return best;
}

bool RemovalEvaluator::one_replaces(const Nodes& nodes) {
  return world_.without(indexes(nodes), {.most = 1}).all_placed;
}

// Tries at most one new node, then several new nodes, each below one of the price steps.
RemovalEvaluator::Estimate RemovalEvaluator::estimate(const Nodes& nodes) {
  Estimate best;
  std::optional<Weights> usual;
  const WhatIf::Needs needs = world_.needs(indexes(nodes));
  if (!try_one_new_node(nodes, needs, usual, best)) return best;
  const model::Price all = price_of(nodes) + beside(nodes.size());
  const model::Price for_one = all - beside(1);
  const model::Price enough = enough_of_several(nodes);
  int tried = 0;
  for (const model::Price below : steps_) {
    const model::Price total = all - std::max(best.gain, enough);
    if (below >= for_one || world_.price_bound(needs, below) >= total) continue;
    if (++tried > kStepsTried) break;
    consider(nodes, {.most = kAnyNumber, .below = below, .total_below = total}, usual, best);
  }
  return best;
}

std::string RemovalEvaluator::why_not(const Nodes& nodes) {
  const WhatIf::Answer answer = world_.without(indexes(nodes), {.most = kAnyNumber, .all = false});
  if (!answer.all_placed) return sentence(world_.why_unplaced(kNamed), world_.unplaced());
  if (answer.new_nodes > 1) {
    return "Can't remove without creating " + std::to_string(answer.new_nodes) + " candidates";
  }
  if (answer.may_be_spot && !options_.spot_to_spot && all_spot(nodes)) {
    return "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";
  }
  if (answer.new_nodes == 1 && asks_for_variety(snapshot_)) {
    std::vector<PlannedNode> wanted = world_.nodes_to_launch(std::nullopt);
    if (std::string why = make_cheaper(snapshot_, options_, nodes, wanted); !why.empty()) return why;
  }
  return "Can't replace with a cheaper node";
}

Judgement RemovalEvaluator::judge(const Nodes& nodes, const Estimate& estimate) {
  if (!estimate.pays) return {std::nullopt, why_not(nodes)};
  const size_t new_nodes = world_.without(indexes(nodes), estimate.offer).new_nodes;
  Move move = move_of(nodes);
  move.pods_to_existing = world_.moved_to_nodes();
  move.replacements = world_.nodes_to_launch(price_of(nodes) + beside(nodes.size()) - beside(new_nodes));
  Judgement judgement = priced(snapshot_, options_, nodes, std::move(move));
  if (!judgement.move || !options_.forecast) return judgement;
  if (const std::string pod = world_.forecast_unschedulable({}); !pod.empty())
    return {std::nullopt, left_out_sentence(pod)};
  return judgement;
}

std::string RemovalEvaluator::forecast_unschedulable(const Nodes& nodes, model::Price at_least,
                                                     const std::vector<PlannedNode>& plan) {
  world_.without(indexes(nodes), {});
  return world_.forecast_unschedulable(at_least, plan);
}

}  // namespace tenon::disruption
