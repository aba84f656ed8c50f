// Problem: a NodePool limits how many of its nodes are disrupted at the same time, by reason and by time of day.
//
// Method: counts four numbers for each pool.
//   total      initialized nodes whose instance is not terminating
//   consuming  nodes of these that are being deleted, are not ready, or belong to a started command or a waiting move
//   allowed    the minimum over the budgets that cover the reason and are active now; a percentage is a share of
//              `total`, rounded up; no such budget: no limit; a malformed budget: 0 for every reason
//   left       max(0, allowed − consuming)
// A search takes nodes from its own copy. Nodes of earlier moves of the pass count as consuming for the next reason,
// because the rehearsal lists these moves as started or waiting.
//
// Example: a pool has 11 initialized nodes and the budget "10%", so 2 nodes (1.1 rounded up) are allowed. One node is
// not ready: 1 is left.
//
// Cost: one pass over the nodes for each reason; a lookup of the pool for each question.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/budgets.h"

#include <algorithm>
#include <charconv>

#include "disruption/candidates.h"
#include "model/cron.h"
#include "model/generations.h"

namespace tenon::disruption {
namespace {

constexpr int kWhole = 100;  // percent

bool well_formed(std::string_view nodes) {
  const bool percent = nodes.ends_with('%');
  if (percent) nodes.remove_suffix(1);
  int count = 0;
  const auto [end, error] = std::from_chars(nodes.data(), nodes.data() + nodes.size(), count);
  return error == std::errc() && end == nodes.data() + nodes.size() && count >= 0 && (!percent || count <= kWhole);
}

}  // namespace

std::string budget_problem(const model::NodePool& pool) {
  for (size_t i = 0; i < pool.budgets.size(); ++i) {
    const model::Budget& budget = pool.budgets[i];
    const std::string place = "budgets[" + std::to_string(i) + "]: ";
    if (!well_formed(budget.nodes))
      return place + "nodes: \"" + budget.nodes + "\" is neither a count nor a percentage";
    if (budget.schedule.empty() != !budget.duration) return place + "schedule must be set with duration";
    if (budget.schedule.empty()) continue;
    if (const auto cron = model::Cron::parse(budget.schedule); !cron)
      return place + "schedule: " + cron.error().message;
  }
  return "";
}

int BudgetLeft::Count::left() const { return std::max(0, allowed - consuming); }

BudgetLeft::BudgetLeft(const scheduling::Snapshot& snapshot, const Options& options, std::string_view reason)
    : reason_(reason) {
  for (const scheduling::NodeView& node : snapshot.nodes) {
    if (!node.managed() || !node.initialized() || node.claim->is(model::kInstanceTerminating)) continue;
    Count& count = counts_[std::string(node.pool())];
    ++count.total;
    const bool busy = node.deleting() || (node.node && !node.node->ready()) || in_command(options, node.name());
    count.consuming += busy ? 1 : 0;
  }
  for (const auto& view : snapshot.pools) {
    Count& count = counts_[view.pool->meta.name];
    count.problem = budget_problem(*view.pool);
    if (!count.problem.empty()) continue;
    count.allowed = model::allowed_disruptions(view.pool->budgets, reason, count.total, snapshot.now);
  }
}

int BudgetLeft::left(std::string_view pool) const {
  const auto it = counts_.find(pool);
  return it == counts_.end() ? 0 : it->second.left();
}

bool BudgetLeft::allows(const std::vector<const Candidate*>& nodes) const {
  std::map<std::string_view, int> wanted;
  for (const Candidate* candidate : nodes) {
    const std::string_view pool = candidate->node->pool();
    if (++wanted[pool] > left(pool)) return false;
  }
  return true;
}

void BudgetLeft::take(const Candidate& candidate) {
  const auto it = counts_.find(candidate.node->pool());
  if (it != counts_.end()) ++it->second.consuming;
}

std::map<std::string, BudgetLeft::Use> BudgetLeft::uses() const {
  std::map<std::string, Use> out;
  for (const auto& [pool, count] : counts_) out[pool] = {count.allowed, count.consuming};
  return out;
}

Kept BudgetLeft::blocked(std::string_view pool) const {
  const auto it = counts_.find(pool);
  const Count count = it == counts_.end() ? Count() : it->second;
  std::string message = "No allowed disruptions for disruption reason " + reason_ + " due to blocking budget";
  if (!count.problem.empty()) {
    message += "; " + count.problem;
  } else if (count.allowed > 0) {
    message = "The budgets let " + std::to_string(count.allowed) + " of " + std::to_string(count.total) +
              " nodes go at once for reason " + reason_ + "; " + std::to_string(count.consuming) +
              (count.consuming == 1 ? " is" : " are") + " going or not ready";
  }
  return {"Budget", message, model::pool_reference(pool)};
}

}  // namespace tenon::disruption
