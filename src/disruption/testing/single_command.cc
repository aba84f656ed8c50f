// SPDX-License-Identifier: Apache-2.0
#include "disruption/testing/single_command.h"

#include <algorithm>
#include <set>

#include "disruption/command.h"
#include "disruption/cost.h"
#include "disruption/replacement.h"
#include "disruption/testing/worn_cluster.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"

namespace tenon::disruption::testing {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;
using scheduling::Solution;

constexpr size_t kMostCandidates = 100;
constexpr int kSetsUpTo = 6;  // nodes

class Commands {
 public:
  // `emptied`: the move of empty nodes that precedes the command.
  Commands(const Snapshot& snapshot, const Options& options, const std::optional<Move>& emptied)
      : snapshot_(snapshot), options_(options) {
    options_.worth = required_savings(snapshot, options.solve.node_price);
    if (emptied) {
      options_.waiting.push_back(*emptied);
      emptied_.insert(emptied->nodes.begin(), emptied->nodes.end());
    }
    for (const NodeView& node : snapshot.nodes) {
      if (!node.managed() || moves_no_pods(node)) continue;
      all_.push_back(
          {&node, snapshot.pool(node.pool()), price_of_instance(snapshot, node), disruption_cost_milli(node)});
    }
    std::stable_sort(all_.begin(), all_.end(), [](const Candidate& a, const Candidate& b) {
      return a.price.value() * (b.cost_milli / 1000) > b.price.value() * (a.cost_milli / 1000);
    });
  }

  // Considers only commands that may gain more than `above`.
  Compared best(bool every_set, model::Price above) {
    Compared best;
    for (const Nodes& nodes : every_set ? all_sets() : commands()) {
      if (most_gain(nodes, options_.solve.node_price) <= std::max(above, best.command)) continue;
      const model::Price gain = gain_without(nodes);
      if (gain <= best.command) continue;
      best.command = gain;
      best.nodes = names(nodes);
    }
    return best;
  }

 private:
  // Returns, by NodePool, the budget that emptiness leaves.
  std::map<std::string_view, int> budgets() const {
    std::map<std::string_view, int> left;
    for (const auto& view : snapshot_.pools) {
      const std::string& name = view.pool->meta.name;
      int total = 0, gone = 0;
      for (const NodeView& node : snapshot_.nodes) {
        if (!node.managed() || node.pool() != name) continue;
        ++total;
        gone += emptied_.contains(node.name()) ? 1 : 0;
      }
      const int allowed = model::allowed_disruptions(view.pool->budgets, "Underutilized", total, snapshot_.now);
      left[name] = std::max(0, allowed - gone);
    }
    return left;
  }

  bool allowed(const Nodes& nodes) const {
    auto left = budgets();
    return std::all_of(nodes.begin(), nodes.end(), [&](const auto* c) { return left[c->node->pool()]-- > 0; });
  }

  std::vector<Nodes> commands() const {
    std::vector<Nodes> sets;
    Nodes first;
    for (const Candidate& candidate : all_) {
      if (allowed({&candidate})) sets.push_back({&candidate});
      first.push_back(&candidate);
      if (first.size() > kMostCandidates || !allowed(first)) {
        first.pop_back();
      } else if (first.size() > 1) {
        sets.push_back(first);
      }
    }
    return sets;
  }

  std::vector<Nodes> all_sets() const {
    std::vector<Nodes> sets;
    for (size_t bits = 1; bits < size_t{1} << all_.size(); ++bits) {
      Nodes set;
      for (size_t i = 0; i < all_.size(); ++i) {
        if (bits >> i & 1) set.push_back(&all_[i]);
      }
      if (allowed(set)) sets.push_back(std::move(set));
    }
    return sets;
  }

  // Returns zero if the command is rejected.
  model::Price gain_without(const Nodes& nodes) {
    scheduling::SolveOptions solve = options_.solve;
    solve.improvement_steps = 0;
    solve.gone_nodes_are_domains = true;
    solve.removed_nodes = names(nodes);
    solve.closed_nodes.assign(emptied_.begin(), emptied_.end());
    const Solution solution = scheduling::solve(snapshot_, solve);
    if (!solution.unschedulable.empty() || solution.new_nodes.size() > 1) return {};
    Move move;
    move.nodes = names(nodes);
    move.replacements = solution.new_nodes;
    move.savings = price_of(nodes);
    if (!make_cheaper(snapshot_, options_, nodes, move.replacements).empty()) return {};
    for (const auto& node : move.replacements) move.savings -= node.launch.price;
    const model::Price gain = gain_of(move, options_.solve.node_price);
    if (!worth_it(move, nodes, options_.solve.node_price) || !objection(options_.worth, nodes, gain).empty()) return {};
    const bool left_out =
        options_.forecast &&
        !RemovalEvaluator(snapshot_, options_, nodes).forecast_unschedulable(nodes, {}, move.replacements).empty();
    return left_out ? model::Price() : gain;
  }

  const Snapshot& snapshot_;
  Options options_;
  std::set<std::string> emptied_;
  std::vector<Candidate> all_;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string differs(const std::string& which, const Snapshot& snapshot, const Options& options, bool every_set) {
  const Compared found = compare_commands(snapshot, options, every_set, Question::kIsBeaten);
  if (found.pass >= found.command) return "";
  return which + ": the pass gains " + model::format_usd(found.pass) + ", without " + joined(found.nodes) + " alone " +
         model::format_usd(found.command) + "\n";
}

Options drawn_options(uint64_t seed) {
  Options options;
  options.forecast = seed % 2 == 0;
  if (seed % 3 == 0) options.solve.node_price = model::Price(model::kPicoPerUsd / 200);
  return options;
}

}  // namespace

Compared compare_commands(const Snapshot& snapshot, const Options& options, bool every_set, Question question) {
  model::Price gained;
  std::optional<Move> emptied;
  for (const Move& move : decide_disruption(snapshot, options).moves) {
    if (move.method == Method::kEmptiness) {
      emptied = move;
    } else {
      gained += gain_of(move, options.solve.node_price);
    }
  }
  const model::Price above = question == Question::kIsBeaten ? gained : model::Price();
  Compared found = Commands(snapshot, options, emptied).best(every_set, above);
  found.pass = gained;
  return found;
}

std::string compare_savings(uint64_t seed) {
  const int nodes = static_cast<int>(3 + seed % 20);
  return differs("worn cluster", worn_cluster(seed, nodes), drawn_options(seed), nodes <= kSetsUpTo);
}

std::string compare_half_gone(uint64_t seed) {
  constexpr scheduling::testing::RandomSizes kFew{.pods = 24, .kinds = 5, .types = 4, .pools = 2, .nodes = 3};
  const Snapshot drawn = half_gone(seed, kFew);
  return differs("half gone", drawn, drawn_options(seed), drawn.nodes.size() <= size_t{kSetsUpTo});
}

}  // namespace tenon::disruption::testing
