// Budgets: when a command begins (a node gets the disruption taint although its NodeClaim was not deleted by others),
// no more nodes of its NodePool, itself included, are being deleted or not ready than the budgets allow. Changes that
// the controllers cannot have received yet (a reclaimed instance, a recent edit) do not count.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.h"
#include "json/json.h"
#include "model/labels.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using json::value;
using kubesim::Object;

constexpr Duration kStale = 5s;

// The storm's budgets are numbers and percentages without schedule or reason.
int allowed(const value& pool, int total) {
  const auto& budgets = json::array_at(pool, {"spec", "disruption", "budgets"});
  int least = total;
  for (const value& budget : budgets) {
    const std::string_view nodes = json::string_at(budget, {"nodes"});
    const int number = std::atoi(std::string(nodes).c_str());
    least = std::min(least, nodes.ends_with('%') ? (number * total + 99) / 100 : number);
  }
  return least;
}

class Budgets : public Checker {
 public:
  Budgets() : Checker("budgets") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (!call.is("PATCH", "nodes") || call.body.find(model::kTaintDisrupted) == std::string_view::npos) return;
    const Object node = truth.get({"", "nodes"}, "", call.name());
    if (!node || deleting(*node) || disrupted(*node)) return;
    const Object claim = truth.claim_of(*node);
    if (!claim || deleting(*claim)) return;
    check(truth);
    const std::string pool = label(*node, model::kLabelNodePool);
    const Object now = truth.get({"karpenter.sh", "nodepools"}, "", pool);
    if (!now || truth.now() - changed_[pool].second < kStale) return;
    const auto [total, busy] = count(truth, pool);
    const int most = allowed(*now, total);
    saw();
    if (busy + 1 > most) {
      fail(truth, "node " + name_of(*node) + " is disrupted as number " + std::to_string(busy + 1) + " of " +
                      std::to_string(total) + " in NodePool " + pool + ", allowed are " + std::to_string(most));
    }
  }

  // Records the time of the last change that no command of the controllers made.
  void check(const Truth& truth) override {
    std::map<std::string, std::string> digests;  // by pool
    for (const Object& pool : truth.pools()) {
      digests[name_of(*pool)] = std::to_string(json::int_at(*pool, {"metadata", "generation"}));
    }
    const auto claims = truth.claims_by_provider_id();
    for (const Object& node : truth.nodes()) {
      const auto digest = digests.find(label(*node, model::kLabelNodePool));
      if (digest == digests.end() || label(*node, model::kLabelInitialized) != "true") continue;
      const auto claim = claims.find(json::string_at(*node, {"spec", "providerID"}));
      const bool going = deleting(*node) || claim == claims.end() || deleting(*claim->second);
      digest->second += " " + name_of(*node) + (is_true(*node, "Ready") ? "+" : "-") + (going ? "x" : "");
    }
    for (auto& [name, digest] : digests) {
      auto& [seen, at] = changed_[name];
      if (seen == digest) continue;
      seen = std::move(digest);
      at = truth.now();
    }
  }

 private:
  struct Count {
    int total = 0, busy = 0;
  };
  static Count count(const Truth& truth, std::string_view pool) {
    Count count;
    const auto claims = truth.claims_by_provider_id();
    for (const Object& node : truth.nodes()) {
      if (label(*node, model::kLabelNodePool) != pool || label(*node, model::kLabelInitialized) != "true") continue;
      const auto claim = claims.find(json::string_at(*node, {"spec", "providerID"}));
      if (claim == claims.end() || is_true(*claim->second, "InstanceTerminating")) continue;
      ++count.total;
      const bool busy = disrupted(*node) || deleting(*node) || deleting(*claim->second) || !is_true(*node, "Ready");
      count.busy += busy ? 1 : 0;
    }
    return count;
  }

  std::map<std::string, std::pair<std::string, Instant>> changed_;  // by pool
};

}  // namespace

std::unique_ptr<Checker> make_budgets_checker() { return std::make_unique<Budgets>(); }

}  // namespace tenon::storm
