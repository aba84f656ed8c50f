// Problem: consolidation compares prices, so it needs the offering of a node; and it must leave a node alone whose pods
// changed a moment ago, because more changes are likely to follow. A cluster that Tenon takes over from Karpenter must
// not be replaced at once, because Karpenter launches nodes by other prices.
//
// Method: the first of these rules that applies to a node with pods keeps it. Lasting reasons come before passing ones.
//   1. Its instance type, capacity type or zone is unknown (except in static pools, which rule 2 keeps).
//   2. Its pool is static, or has `consolidateAfter: Never`.
//   3. Its pool has the policy WhenEmpty.
//   4. The node was adopted less than Options::adoption_wait ago. A NodeClaim without a record was adopted now.
//   5. The NodeClaim is not Consolidatable yet: consolidateAfter has not passed since its last pod event.
//   6. The budgets of the pool leave no node.
//
// Example: with consolidateAfter 30s and the last pod event at 12:00:00, rule 5 keeps the node "until 12:00:30". The
// time is for the message only; the condition decides.
//
// Cost: O(candidates × instance types of the pool).
// SPDX-License-Identifier: Apache-2.0
#include "disruption/consolidatable.h"

#include <algorithm>

#include "disruption/cost.h"
#include "model/adoption.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::disruption {
namespace {

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

// Returns which fact that consolidation needs is missing: instance type, capacity type or zone; empty if none is.
std::string unknown(const Candidate& candidate) {
  const model::StringMap& labels = candidate.node->labels();
  const std::string_view type = model::lookup(labels, model::kLabelInstanceType);
  const auto& types = *candidate.pool->types;
  const bool known = std::any_of(types.begin(), types.end(), [&](const auto& t) { return t.name == type; });
  if (!known) return "Instance Type " + quoted(type) + " not found";
  for (const std::string_view label : {model::kLabelCapacityType, model::kLabelZone}) {
    if (!labels.contains(label)) return "Node does not have label " + quoted(label);
  }
  return "";
}

// A Provisioner with ttlSecondsAfterEmpty has consolidation off. parity: karpenter-core v0.27.5 consolidation.go:87-91
std::string consolidation_disabled(const model::NodePool& pool) {
  const bool provisioner = model::is_provisioner(pool.meta.name);
  return (provisioner ? "provisioner " + std::string(model::object_name(pool.meta.name))
                      : "NodePool " + quoted(pool.meta.name)) +
         " has consolidation disabled";
}

bool do_not_consolidate(const Candidate& candidate) {
  return model::is_provisioner(candidate.node->pool()) &&
         model::lookup(candidate.node->node->meta.annotations, model::kAnnotationDoNotConsolidate) == "true";
}

// Returns when consolidateAfter has passed since the node's pods changed; std::nullopt if the node is not initialized.
std::optional<Instant> consolidatable_at(const Candidate& candidate) {
  const model::NodeClaim& claim = *candidate.node->claim;
  const auto* initialized = model::find_condition(claim.conditions, model::kInitialized);
  if (!initialized || initialized->status != "True") return std::nullopt;
  return claim.last_pod_event_at.value_or(initialized->last_transition) + *candidate.pool->pool->consolidate_after;
}

}  // namespace

std::optional<Kept> why_not_yet(const scheduling::Snapshot& snapshot, const Candidate& candidate) {
  const model::NodePool& pool = *candidate.pool->pool;
  const std::string object = model::pool_reference(pool.meta.name);
  if (pool.replicas) {
    return Kept{"Static", "NodePool " + quoted(pool.meta.name) + " is static: its nodes go only when they drift",
                object};
  }
  if (!pool.consolidate_after) return Kept{"Unconsolidatable", consolidation_disabled(pool), object};
  if (consolidatable(candidate)) return std::nullopt;
  std::string text = "NodePool " + quoted(pool.meta.name) + " waits " + format_go_duration(*pool.consolidate_after) +
                     " after pods of a node changed";
  const auto due = consolidatable_at(candidate);
  if (due && *due > snapshot.now) text += ", until " + format_rfc3339(*due);
  return Kept{"Waiting", text, object};
}

std::optional<Kept> adopted_lately(const scheduling::Snapshot& snapshot, const Options& options,
                                   const Candidate& candidate) {
  if (options.adoption_wait <= Duration::zero()) return std::nullopt;
  const auto adoption = model::adoption_of(candidate.node->claim->meta, snapshot.now);
  if (!adoption || adoption->at <= snapshot.now - options.adoption_wait) return std::nullopt;
  // The text must not change from pass to pass, or each pass has another event.
  const std::string when = adoption->recorded ? "at " + format_rfc3339(adoption->at) : "just now";
  return Kept{"Unconsolidatable",
              "Node was not launched by Tenon; it was adopted " + when + " and is consolidated " +
                  format_go_duration(options.adoption_wait) + " later at the earliest",
              "node/" + candidate.name()};
}

std::vector<Candidate> underutilized(const scheduling::Snapshot& snapshot, const Options& options,
                                     const std::vector<Candidate>& all, const BudgetLeft& budget,
                                     std::map<std::string, Kept>& kept) {
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : all) {
    if (candidate.empty()) continue;
    const model::NodePool& pool = *candidate.pool->pool;
    const std::string& name = candidate.name();
    const bool only_empty = pool.consolidation_policy == model::ConsolidationPolicy::kWhenEmpty;
    auto not_yet = why_not_yet(snapshot, candidate);
    if (const std::string problem = pool.replicas ? "" : unknown(candidate); !problem.empty()) {
      kept[name] = {"Unconsolidatable", problem, "node/" + name};
    } else if (not_yet && not_yet->reason != "Waiting") {
      kept[name] = std::move(*not_yet);
    } else if (only_empty) {
      const std::string why =
          model::is_provisioner(pool.meta.name)
              ? consolidation_disabled(pool)
              : "NodePool " + quoted(pool.meta.name) + " has consolidation policy WhenEmpty, but node is not empty";
      kept[name] = {"Unconsolidatable", why, model::pool_reference(pool.meta.name)};
    } else if (do_not_consolidate(candidate)) {
      kept[name] = {"Unconsolidatable", "karpenter.sh/do-not-consolidate annotation exists", "node/" + name};
    } else if (auto adopted = adopted_lately(snapshot, options, candidate)) {
      kept[name] = std::move(*adopted);
    } else if (not_yet) {
      kept[name] = std::move(*not_yet);
    } else if (budget.left(candidate.node->pool()) == 0) {
      kept[name] = budget.blocked(candidate.node->pool());
    } else {
      chosen.push_back(candidate);
    }
  }
  return chosen;
}

}  // namespace tenon::disruption
