// PodDisruptionBudgets: the controllers end pods by eviction, which the API server rejects if a budget forbids it; they
// delete a pod only close to its node's deadline. No command chooses a node whose pods cannot be evicted.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "json/json.h"
#include "model/labels.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using json::value;
using kubesim::Object;

constexpr Duration kBudgetBehind = 5s;

class PodDisruptionBudgets : public Checker {
 public:
  PodDisruptionBudgets() : Checker("pod disruption budgets") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (call.is("POST", "pods", "eviction")) {
      const Object pod = truth.get({"", "pods"}, call.ns(), call.name());
      if (pod && protected_since(truth.disruption_budgets(), *pod)) saw();
    } else if (call.is("DELETE", "pods")) {
      on_delete(call, truth);
    } else if (call.is("PATCH", "nodes") && call.body.find(model::kTaintDisrupted) != std::string_view::npos) {
      on_choice(call, truth);
    }
  }

  void check(const Truth& truth) override {
    std::map<std::string, Instant> now;
    const auto budgets = truth.disruption_budgets();
    for (const Object& pod : truth.pods()) {
      if (!protected_since(budgets, *pod)) continue;
      const std::string key = key_of(*pod) + std::string(json::string_at(*pod, {"spec", "nodeName"}));
      const auto at = seen_.find(key);
      now[key] = at == seen_.end() ? truth.now() : at->second;
    }
    seen_ = std::move(now);
  }

 private:
  void on_delete(const Call& call, const Truth& truth) {
    const Object pod = truth.get({"", "pods"}, call.ns(), call.name());
    if (!pod) return;
    const Object node = truth.get({"", "nodes"}, "", json::string_at(*pod, {"spec", "nodeName"}));
    const auto ends = node ? deadline(truth, *node) : std::nullopt;
    const auto grace = std::chrono::seconds(json::int_at(*pod, {"spec", "terminationGracePeriodSeconds"}));
    if (!ends || truth.now() < *ends - grace) fail(truth, "pod " + key_of(*pod) + " is deleted, not evicted");
  }

  void on_choice(const Call& call, const Truth& truth) {
    const Object node = truth.get({"", "nodes"}, "", call.name());
    if (!node || deleting(*node) || disrupted(*node)) return;
    const Object claim = truth.claim_of(*node);
    if (!claim || deleting(*claim) || json::find(*claim, {"spec", "terminationGracePeriod"})) return;
    const auto budgets = truth.disruption_budgets();
    for (const Object& pod : truth.pods()) {
      if (!on_node(*pod, name_of(*node)) || deleting(*pod)) continue;
      const auto since = protected_since(budgets, *pod);
      const auto seen = seen_.find(key_of(*pod) + name_of(*node));
      if (!since || seen == seen_.end() || truth.now() - std::max(*since, seen->second) <= kBudgetBehind) continue;
      fail(truth, "node " + name_of(*node) + " is disrupted although pod " + key_of(*pod) + " is protected");
    }
  }

  std::map<std::string, Instant> seen_;  // when a protected pod was first observed, by pod and node
};

}  // namespace

std::unique_ptr<Checker> make_pod_disruption_budgets_checker() { return std::make_unique<PodDisruptionBudgets>(); }

}  // namespace tenon::storm
