// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/meter.h"

#include <algorithm>

#include "base/text.h"
#include "disruption/budgets.h"
#include "model/generations.h"

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

std::string reason_of(Method method) {
  switch (method) {
    case Method::kEmptiness: return "empty";
    case Method::kDrift:
    case Method::kStaticDrift: return "drifted";
    default: return "underutilized";
  }
}

// The value of the field in the API.
std::string api_value(model::ConsolidationPolicy policy) {
  switch (policy) {
    case model::ConsolidationPolicy::kWhenEmpty: return "WhenEmpty";
    case model::ConsolidationPolicy::kBalanced: return "Balanced";
    default: return "WhenEmptyOrUnderutilized";
  }
}

metrics::Labels labels_of(const Move& move) {
  return {{"decision", move.replacements.empty() ? "delete" : "replace"},
          {"reason", to_lower(move.reason)},
          {"consolidation_type", consolidation_type(move.method)}};
}

}  // namespace

Meter::Meter(Metrics& metrics, runtime::Runtime& runtime)
    : metrics_(metrics),
      runtime_(runtime),
      observer_{.began = [this](Method method) { lap(method); },
                .weighed = [this](const auto& pools, bool approved) { weighed(pools, approved); }} {}

void Meter::begin(const scheduling::Snapshot& now) {
  now_ = &now;
  began_ = runtime_.now();
}

void Meter::lap(std::optional<Method> next) {
  const Instant now = runtime_.now();
  if (method_) {
    metrics_.evaluation_duration.observe(
        {{"reason", reason_of(*method_)}, {"consolidation_type", consolidation_type(*method_)}},
        in_seconds(now - lap_));
  }
  method_ = next;
  lap_ = now;
}

// parity: karpenter pkg/controllers/disruption/balanced.go counts each move that it scores
void Meter::weighed(const std::map<std::string, std::optional<double>>& pools, bool approved) {
  for (const auto& [name, score] : pools) {
    const scheduling::PoolView* view = now_ ? now_->pool(name) : nullptr;
    if (!view) continue;
    const metrics::Labels labels{{"decision", approved ? "approved" : "rejected"},
                                 {"nodepool", name},
                                 {"policy", api_value(view->pool->consolidation_policy)}};
    metrics_.consolidation_moves.add(labels);
    if (score) metrics_.consolidation_score.observe(labels, *score);
  }
}

void Meter::passed(const scheduling::Snapshot& now, const tenon::disruption::Options& options,
                   const tenon::disruption::Pass& pass) {
  lap(std::nullopt);
  now_ = nullptr;
  metrics_.scheduling_duration.observe({{"controller", "disruption"}}, in_seconds(runtime_.now() - began_));
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
  if (std::any_of(pools.begin(), pools.end(), [](const std::string& pool) { return model::is_provisioner(pool); }))
    metrics_.deprovisioned_v027(labels.at("reason"), labels.at("decision"));
}

void Meter::rolled_back(const Move& move) { metrics_.queue_failures.add(labels_of(move)); }

}  // namespace tenon::controllers::disruption
