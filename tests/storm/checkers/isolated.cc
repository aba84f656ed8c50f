// Isolated: while a webhook denies the eviction of one pod, the other pods of its node are still evicted.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using kubesim::Object;

constexpr Duration kAtMost = 1min;  // until the first attempt

class Isolated : public Checker {
 public:
  Isolated() : Checker("isolated") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (!truth.api_faults.refuses() || !call.is("POST", "pods", "eviction")) return;
    tried_.insert(std::string(call.ns()) + "/" + std::string(call.name()));
    const Object pod = truth.get({"", "pods"}, call.ns(), call.name());
    if (pod && has_refused(truth.pods(), json::string_at(*pod, {"spec", "nodeName"}), truth)) saw();
  }

  void check(const Truth& truth) override {
    if (!truth.api_faults.refuses() || !truth.up) return since_.clear();
    std::map<std::string, Instant> now;
    const auto budgets = truth.disruption_budgets();
    const auto pods = truth.pods();
    for (const Object& node : truth.nodes()) {
      const Object claim = truth.claim_of(*node);
      if (!claim || !deleting(*node) || !is_true(*node, "Ready")) continue;
      if (truth.api_faults.unreadable("nodeclaims", name_of(*claim))) continue;  // nobody acts on unreadable objects
      const std::string name = name_of(*node);
      if (!has_refused(pods, name, truth)) continue;
      for (const Object& pod : pods) {
        if (!on_node(*pod, name) || !may_go(*pod, budgets, truth)) continue;
        const auto at = since_.find(key_of(*pod));
        now[key_of(*pod)] = at == since_.end() ? truth.now() : at->second;
      }
    }
    for (const auto& [pod, since] : now) {
      if (truth.now() - since > kAtMost && !tried_.contains(pod) && reported_.insert(pod).second)
        fail(truth, "pod " + pod + " is not evicted beside one whose eviction is refused");
    }
    since_ = std::move(now);
  }

 private:
  static bool has_refused(const std::vector<Object>& pods, std::string_view node, const Truth& truth) {
    return std::any_of(pods.begin(), pods.end(), [&](const Object& pod) {
      return on_node(*pod, node) && !deleting(*pod) && truth.api_faults.refused(key_of(*pod));
    });
  }
  static bool may_go(const json::value& pod, const std::vector<Object>& budgets, const Truth& truth) {
    return !deleting(pod) && !of_daemon_set(pod) && !refuses_disruption(pod) && !protected_since(budgets, pod) &&
           !truth.api_faults.refused(key_of(pod));
  }

  std::map<std::string, Instant> since_;  // by pod: since when it can be evicted
  std::set<std::string> tried_, reported_;
};

}  // namespace

std::unique_ptr<Checker> make_isolated_checker() { return std::make_unique<Isolated>(); }

}  // namespace tenon::storm
