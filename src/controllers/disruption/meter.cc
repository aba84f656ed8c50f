// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/meter.h"

#include "base/text.h"
#include "disruption/budgets.h"

namespace tenon::controllers::disruption {
namespace {

using tenon::disruption::BudgetLeft;
using tenon::disruption::Method;
using tenon::disruption::Move;

std::string consolidation_type(Method method) {
  switch (method) {
    case Method::kEmptiness: return "empty";
    case Method::kMultiNodeConsolidation: return "multi";
    case Method::kSingleNodeConsolidation: return "single";
    case Method::kDrift:
    case Method::kStaticDrift: return "";
  }
  return "";
}

metrics::Labels labels_of(const Move& move) {
  return {{"decision", move.replacements.empty() ? "delete" : "replace"},
          {"reason", to_lower(move.reason)},
          {"consolidation_type", consolidation_type(move.method)}};
}

}  // namespace

void Meter::passed(const scheduling::Snapshot& now, const tenon::disruption::Options& options,
                   const tenon::disruption::Pass& pass, Duration took) {
  metrics_.evaluation_duration.observe(in_seconds(took));
  std::set<std::string> pools;
  for (const std::string_view reason : {"Drifted", "Empty", "Underutilized"}) {
    const auto at = pass.eligible.find(reason);
    metrics_.eligible_nodes.set({{"reason", to_lower(reason)}}, at == pass.eligible.end() ? 0 : at->second);
    for (const auto& [pool, use] : BudgetLeft(now, options, reason).uses()) {
      const metrics::Labels labels{{"nodepool", pool}, {"reason", std::string(reason)}};
      metrics_.allowed_disruptions.set(labels, use.allowed);
      metrics_.consuming_budgets.set(labels, use.consuming);
      pools.insert(pool);
    }
  }
  for (const std::string& pool : pools_) {
    if (pools.contains(pool)) continue;
    metrics_.allowed_disruptions.remove_matching({{"nodepool", pool}});
    metrics_.consuming_budgets.remove_matching({{"nodepool", pool}});
  }
  pools_ = std::move(pools);
}

void Meter::refused(const Move& move) {
  metrics_.failed_validations.add({{"consolidation_type", consolidation_type(move.method)}},
                                  static_cast<double>(move.nodes.size()));
}

void Meter::started(const Move& move, const scheduling::Snapshot& now) {
  metrics::Labels labels = labels_of(move);
  metrics_.decisions.add(labels);
  std::set<std::string> pools;
  for (const std::string& name : move.nodes) {
    if (const auto* view = now.node(name)) pools.emplace(view->pool());
  }
  for (const std::string& pool : pools) {
    labels["nodepool"] = pool;
    metrics_.pool_decisions.add(labels);
  }
}

void Meter::rolled_back(const Move& move) { metrics_.queue_failures.add(labels_of(move)); }

}  // namespace tenon::controllers::disruption
