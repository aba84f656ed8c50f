// The invariants of the ledger (ledger.h), checked for each action of a plan with the entries of the actions before it.
// SPDX-License-Identifier: Apache-2.0
#include "state/ledger.h"

namespace tenon::state {

// One plan. Needs Ledger::mutex_.
class PlanCheck {
 public:
  PlanCheck(const Ledger& ledger, const plan::Plan& plan)
      : ledger_(ledger), plan_(plan), now_(ledger.runtime_.now()), node_of_(ledger.marked_) {
    for (const auto& [claim, node] : node_of_) marked_.insert({claim, node});
  }

  std::optional<Violation> run() {
    for (size_t i = 0; i < plan_.actions.size(); ++i) {
      std::visit(*this, plan_.actions[i]);
      if (invariant_.empty()) continue;
      return Violation{invariant_, i, plan::describe(plan_.actions[i]) + ": " + why_};
    }
    return std::nullopt;
  }

  void operator()(const plan::CreateNodeClaim& a) {
    needs_turn();
    promised(a.promise);
  }
  void operator()(const plan::Nominate& a) {
    needs_turn();
    if (marked(a.claim) || marked(a.node)) broken("nomination", "the node is marked for deletion");
    nominated_.insert({a.claim, a.node});
  }
  void operator()(const plan::MarkForDeletion& a) {
    needs_turn();
    if (nominated(a.claim) || nominated(a.node)) broken("nomination", "the node is nominated for a pod");
    node_of_[a.claim] = a.node;
    marked_.insert({a.claim, a.node});
  }
  void operator()(const plan::UnmarkForDeletion& a) {
    const auto node = node_of_.find(a.claim);
    if (node == node_of_.end()) return;
    marked_.erase(a.claim);
    marked_.erase(node->second);
    node_of_.erase(node);
  }
  void operator()(const plan::PromiseRoom& a) {
    needs_turn();
    if (marked(a.node)) broken("promise", "the node is marked for deletion");
    promised(a.pods);
  }
  void operator()(const plan::HoldDrain& a) {
    if (a.at_most > kLongestHold) broken("hold", "for " + format_go_duration(a.at_most));
  }
  template <class Other>
  void operator()(const Other&) {}

 private:
  void broken(const char* invariant, std::string why) {
    if (!invariant_.empty()) return;
    invariant_ = invariant;
    why_ = std::move(why);
  }
  void needs_turn() {
    if (!plan_.turn) broken("turn", "the plan does not hold the turn");
  }
  void promised(const std::vector<std::string>& pods) {
    for (const std::string& pod : pods) {
      if (!promised_.insert(pod).second) broken("promise", "the plan promises room for " + pod + " twice");
    }
  }
  bool marked(const std::string& name) const { return !name.empty() && marked_.contains(name); }
  bool nominated(const std::string& name) const {
    return !name.empty() && (ledger_.nominated(name, now_) || nominated_.contains(name));
  }

  const Ledger& ledger_;
  const plan::Plan& plan_;
  const Instant now_;
  std::map<std::string, std::string> node_of_;           // as Ledger::marked_
  std::set<std::string> marked_, nominated_, promised_;  // Nodes and NodeClaims; pods
  std::string invariant_, why_;                          // empty: none is broken
};

std::optional<Violation> Ledger::violation(const plan::Plan& plan) const {
  const std::lock_guard lock(mutex_);
  return PlanCheck(*this, plan).run();
}

}  // namespace tenon::state
