// Unreadable: while a pod, a PodDisruptionBudget or a NodeClaim is unreadable, no command chooses the node on which the
// pod or the budget's pods run, or the node of the NodeClaim.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "json/json.h"
#include "model/labels.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using json::value;
using kubesim::Object;

constexpr Duration kStale = 5s;  // the longest delay of a decision

class UnreadableObjects : public Checker {
 public:
  UnreadableObjects() : Checker("unreadable") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (!call.is("PATCH", "nodes") || call.body.find(model::kTaintDisrupted) == std::string_view::npos) return;
    const Object node = truth.get({"", "nodes"}, "", call.name());
    if (!node || deleting(*node) || disrupted(*node)) return;
    const Object claim = truth.claim_of(*node);
    if (!claim || deleting(*claim)) return;
    for (const ApiFaults::Unreadable& u : truth.api_faults.unreadable()) {
      if (u.shown && truth.now() - *u.shown > kStale && touches(u, *node, *claim, truth))
        fail(truth,
             "node " + name_of(*node) + " is disrupted although " + u.resource + " " + u.name + " is unreadable");
    }
  }

  void check(const Truth& truth) override {
    for (const ApiFaults::Unreadable& u : truth.api_faults.unreadable()) {
      if (u.shown && truth.up) saw();
    }
  }

 private:
  static bool touches(const ApiFaults::Unreadable& u, const value& node, const value& claim, const Truth& truth) {
    if (u.resource == "nodeclaims") return name_of(claim) == u.name;
    // A command that may end pods by force ignores budgets.
    if (u.resource == "poddisruptionbudgets" && json::find(claim, {"spec", "terminationGracePeriod"})) return false;
    const std::vector<Object> pods = truth.pods();
    const Object budget = u.resource == "pods" ? nullptr : truth.get({"policy", "poddisruptionbudgets"}, u.ns, u.name);
    return std::any_of(pods.begin(), pods.end(), [&](const Object& pod) {
      if (!on_node(*pod, name_of(node)) || deleting(*pod)) return false;
      return budget ? selects(*budget, *pod) : name_of(*pod) == u.name;
    });
  }
};

}  // namespace

std::unique_ptr<Checker> make_unreadable_checker() { return std::make_unique<UnreadableObjects>(); }

}  // namespace tenon::storm
