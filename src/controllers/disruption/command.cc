// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/command.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "disruption/cost.h"
#include "model/condition_set.h"
#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::disruption {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;
using tenon::disruption::Move;

const model::Taint& disrupted() {
  static const model::Taint taint{std::string(model::kTaintDisrupted), "", "NoSchedule", std::nullopt};
  return taint;
}

const NodeView* find_claim(const Snapshot& snapshot, const std::string& name) {
  for (const NodeView& node : snapshot.nodes) {
    if (node.claim && node.claim->meta.name == name) return &node;
  }
  return nullptr;
}

model::ConditionSet status_of(model::NodeClaim& claim, Instant now) {
  return model::ConditionSet({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus,
                             now);
}

bool tainted(const model::Node& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [](const auto& t) { return t.same(disrupted()); });
}

void release(const NodeView& view, Instant now, plan::Plan& plan) {
  plan.begin_group();
  if (view.node && tainted(*view.node) && model::unreadable(*view.node).empty()) {
    model::Node node = *view.node;
    std::erase_if(node.taints, [](const auto& t) { return t.same(disrupted()); });
    plan.add_if_changed(*view.node, node);
  }
  const bool readable = view.claim && model::unreadable(*view.claim).empty();
  if (readable && model::find_condition(view.claim->conditions, model::kDisruptionReason)) {
    model::NodeClaim claim = *view.claim;
    status_of(claim, now).clear(model::kDisruptionReason);
    plan.add_if_changed(*view.claim, claim);
  }
}

bool in_use(const NodeView& view) {
  return std::any_of(view.pods.begin(), view.pods.end(),
                     [](const auto& pod) { return tenon::disruption::reschedulable(*pod); });
}

// The nodes stay, so the replacements are deleted at once, before they count against limits again.
void drop_replacements(const Snapshot& snapshot, const Command& command, plan::Plan& plan) {
  for (const std::string& name : command.replacements) {
    const NodeView* view = find_claim(snapshot, name);
    if (!view || view->claim->meta.deleting() || in_use(*view)) continue;
    plan.begin_group();
    plan.add(plan::DeleteNodeClaim{*view->claim, ""});
  }
}

plan::Plan roll_back(const Snapshot& snapshot, const Command& command, plan::Plan plan) {
  for (const std::string& name : command.move.nodes) {
    const NodeView* view = snapshot.node(name);
    if (view && !(view->claim && view->claim->meta.deleting())) release(*view, snapshot.now, plan);
  }
  return plan;
}

// Returns the label of the metric; empty unless consolidation decided the move.
std::string policy_of(const Snapshot& snapshot, const Command& command, const NodeView& node) {
  using tenon::disruption::Method;
  if (command.move.method == Method::kDrift || command.move.method == Method::kStaticDrift) return "";
  for (const auto& view : snapshot.pools) {
    if (view.pool->meta.name != node.pool()) continue;
    switch (view.pool->consolidation_policy) {
      case model::ConsolidationPolicy::kWhenEmpty: return "when_empty";
      case model::ConsolidationPolicy::kWhenEmptyOrUnderutilized: return "when_empty_or_underutilized";
      case model::ConsolidationPolicy::kBalanced: return "balanced";
    }
  }
  return "";
}

plan::Plan finish(const Snapshot& snapshot, const Command& command) {
  plan::Plan plan;
  for (const std::string& name : command.claims) {
    const NodeView* view = find_claim(snapshot, name);
    if (!view) continue;
    plan.begin_group();
    const std::string reason = command.move.reason;
    if (view->node) plan.event(plan::ref(*view->node), "Normal", "DisruptionTerminating", "Disrupting Node: " + reason);
    plan.event(plan::ref(*view->claim), "Normal", "DisruptionTerminating", "Disrupting NodeClaim: " + reason);
    if (!view->claim->meta.deleting()) {
      const auto moved = std::count_if(view->pods.begin(), view->pods.end(),
                                       [](const auto& pod) { return tenon::disruption::reschedulable(*pod); });
      plan.add(plan::DeleteNodeClaim{*view->claim, to_lower(reason), policy_of(snapshot, command, *view),
                                     static_cast<size_t>(moved)});
    }
  }
  return plan;
}

}  // namespace

std::string describe(const Command& command, const Snapshot& snapshot) {
  std::set<std::string> pools;
  for (const std::string& name : command.move.nodes) {
    if (const NodeView* view = snapshot.node(name)) pools.emplace(view->pool());
  }
  const std::vector<std::string> pool_list(pools.begin(), pools.end());
  const size_t count = command.move.replacements.size();
  std::string text = command.move.reason + ": " + (count == 0 ? "delete" : "replace") + ": nodepools=[" +
                     join(pool_list, ", ") + "]: [" + join(command.move.nodes, ", ") + "]";
  if (count > 0) text += " -> [" + std::to_string(count) + (count == 1 ? " replacement]" : " replacements]");
  return text + " (savings: $" + model::format_usd(command.move.savings) + ")";
}

Result<plan::Plan> decide_start(const Snapshot& snapshot, const Move& move) {
  plan::Plan plan;
  for (const std::string& name : move.nodes) {
    const NodeView* view = snapshot.node(name);
    if (!view || !view->node || !view->claim || view->claim->meta.deleting()) {
      return fail(Code::kConflict, "node " + name + " is gone or going");
    }
    model::Node node = *view->node;
    if (!tainted(node)) node.taints.push_back(disrupted());
    plan.add_if_changed(*view->node, node);
    model::NodeClaim claim = *view->claim;
    status_of(claim, snapshot.now).set(model::kDisruptionReason, "True", move.reason, move.reason);
    plan.add_if_changed(*view->claim, claim);
  }
  return plan;
}

Progress decide_progress(const Snapshot& snapshot, const Command& command, size_t queued_nodes) {
  const Duration timeout = std::clamp<Duration>(kTimeoutPerNode * static_cast<int64_t>(queued_nodes),
                                                kCommandTimeoutMin, kCommandTimeoutMax);
  Progress progress;
  bool all_ready = true;
  for (const std::string& name : command.replacements) {
    const NodeView* view = find_claim(snapshot, name);
    if (!view || view->claim->meta.deleting()) {
      plan::Plan plan;
      drop_replacements(snapshot, command, plan);
      return {Progress::State::kFailed, roll_back(snapshot, command, std::move(plan))};
    }
    if (view->claim->is(model::kInitialized)) continue;
    all_ready = false;
    const auto about = plan::ref(*view->claim);
    progress.plan.event(about, "Normal", "DisruptionLaunching", "Launching NodeClaim: " + command.move.reason);
    progress.plan.event(about, "Normal", "DisruptionWaitingReadiness", "Waiting on readiness to continue disruption");
  }
  if (all_ready) return {Progress::State::kDone, finish(snapshot, command)};
  if (snapshot.now - command.started_at > timeout) {  // late replacements stay: the cause may be their pool
    return {Progress::State::kFailed, roll_back(snapshot, command, {})};
  }
  return progress;
}

Cleanup decide_cleanup(const Snapshot& snapshot, const std::vector<std::string>& held) {
  Cleanup cleanup;
  for (const NodeView& view : snapshot.nodes) {
    const bool ours = view.managed() && std::find(held.begin(), held.end(), view.name()) == held.end();
    if (!ours || view.deleting()) continue;
    const size_t before = cleanup.plan.actions.size();
    release(view, snapshot.now, cleanup.plan);
    if (cleanup.plan.actions.size() > before) cleanup.nodes.push_back(view.name());
  }
  return cleanup;
}

}  // namespace tenon::controllers::disruption
