// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/command.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "controllers/claims/make_claim.h"
#include "controllers/disruption/node_events.h"
#include "disruption/cost.h"
#include "log/messages.h"
#include "model/condition_set.h"
#include "model/labels.h"
#include "model/unreadable.h"
#include "state/open_launches.h"

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

// A node keeps its mark until its taint is removed.
plan::Plan roll_back(const Snapshot& snapshot, const Command& command, plan::Plan plan) {
  std::set<std::string> marked(command.claims.begin(), command.claims.end());
  for (const std::string& name : command.move.nodes) {
    const NodeView* view = snapshot.node(name);
    if (!view || (view->claim && view->claim->meta.deleting())) continue;
    release(*view, snapshot.now, plan);
    if (view->claim && marked.erase(view->claim->meta.name) > 0)
      plan.add(plan::UnmarkForDeletion{view->claim->meta.name});
  }
  for (const std::string& claim : marked) {
    plan.begin_group();
    plan.add(plan::UnmarkForDeletion{claim});
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
    const auto terminating = [&](const plan::ObjectRef& about, const std::string& kind) {
      NodeEvent event = terminating_event(*view, kind, reason, !command.replacements.empty());
      plan.event(about, "Normal", std::move(event.reason), std::move(event.message));
    };
    if (view->node) terminating(plan::ref(*view->node), "Node");
    terminating(plan::ref(*view->claim), "NodeClaim");
    if (!view->claim->meta.deleting()) {
      const auto moved = std::count_if(view->pods.begin(), view->pods.end(),
                                       [](const auto& pod) { return tenon::disruption::reschedulable(*pod); });
      plan.add(plan::DeleteNodeClaim{*view->claim, to_lower(reason), policy_of(snapshot, command, *view),
                                     static_cast<size_t>(moved)});
    }
  }
  return plan;
}

void mark(const NodeView& view, const Move& move, Instant now, plan::Plan& plan) {
  model::Node node = *view.node;
  if (!tainted(node)) node.taints.push_back(disrupted());
  plan.add_if_changed(*view.node, node);
  model::NodeClaim claim = *view.claim;
  status_of(claim, now).set(model::kDisruptionReason, "True", move.reason, move.reason);
  plan.add_if_changed(*view.claim, claim);
  plan.add(plan::MarkForDeletion{claim.meta.name, node.meta.name});
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
  if (count > 0) text += " -> [" + counted(count, "replacement") + "]";
  return text + " (savings: $" + model::format_usd(command.move.savings) + ")";
}

namespace {

std::vector<log::Value> counts(const Command& command) {
  const size_t replacements = command.move.replacements.size();
  return {{log::Key::kDecision, replacements == 0 ? "delete" : "replace"},
          {log::Key::kDisruptedNodeCount, static_cast<int64_t>(command.move.nodes.size())},
          {log::Key::kReplacementNodeCount, static_cast<int64_t>(replacements)}};
}

}  // namespace

log::Entry disrupting_line(const Command& command, const Snapshot& snapshot) {
  const std::string words = describe(command, snapshot);
  std::vector<log::Object> disrupted_nodes, replacements;
  int64_t pods = 0;
  for (const std::string& name : command.move.nodes) {
    const NodeView* view = snapshot.node(name);
    if (!view) continue;
    pods += std::count_if(view->pods.begin(), view->pods.end(),
                          [](const auto& pod) { return tenon::disruption::reschedulable(*pod); });
    const model::StringMap labels = view->labels();
    disrupted_nodes.push_back({{"Node", name},
                               {"NodeClaim", view->claim ? view->claim->meta.name : ""},
                               {"instance-type", std::string(model::lookup(labels, model::kLabelInstanceType))},
                               {"capacity-type", std::string(model::lookup(labels, model::kLabelCapacityType))}});
  }
  for (const auto& planned : command.move.replacements) {
    log::Object one{{"capacity-type", planned.launch.capacity_type}};
    const std::vector<std::string> types(planned.instance_types.begin(), planned.instance_types.end());
    if (command.move.replacements.size() == 1) one.emplace_back("instance-types", log::some_of(types));
    replacements.push_back(std::move(one));
  }
  log::Fields about;
  about.more = counts(command);
  about.more.insert(about.more.begin(), {log::Key::kCommand, words});
  about.more.push_back({log::Key::kPodCount, pods});
  about.more.push_back({log::Key::kDisruptedNodes, std::move(disrupted_nodes)});
  about.more.push_back({log::Key::kReplacementNodes, std::move(replacements)});
  return log::decision(log::kDisruptingNodes, std::move(about), words);
}

log::Entry succeeded_line(const Command& command) {
  log::Fields about;
  about.more = counts(command);
  return log::step(log::kCommandSucceeded, std::move(about));
}

plan::Proposal propose(const Move& move, const Snapshot& snapshot) {
  std::set<std::string> pools;
  for (const std::string& name : move.nodes) {
    if (const NodeView* view = snapshot.node(name)) pools.emplace(view->pool());
  }
  const std::vector<std::string> pool_list(pools.begin(), pools.end());
  std::string text =
      "remove " + join(move.nodes, ", ") + " of nodepools=[" + join(pool_list, ", ") + "] (" + move.reason + ")";
  for (size_t i = 0; i < move.replacements.size(); ++i) {
    const scheduling::Launch& launch = move.replacements[i].launch;
    text += (i == 0 ? " and launch " : ", ") + launch.capacity_type + " " + launch.instance_type + " in " +
            launch.zone + " at $" + model::format_usd(launch.price) + "/h";
  }
  const bool dearer = move.savings < model::Price();
  const model::Price amount = dearer ? model::Price() - move.savings : move.savings;
  text += dearer ? ", which costs $" + model::format_usd(amount) + "/h more"
                 : ", which saves $" + model::format_usd(amount) + "/h";
  return {plan::kWouldDisrupt, join(move.nodes, ","), std::move(text),
          pool_list.size() == 1 ? pool_list.front() : std::string()};
}

plan::Plan decide_start(const Snapshot& snapshot, const Move& move) {
  plan::Plan plan;
  plan.begin_group();
  for (const std::string& name : move.nodes) {
    const NodeView* view = snapshot.node(name);
    const bool there = view && view->node && view->claim && !view->claim->meta.deleting();
    const bool alone = move.method == tenon::disruption::Method::kEmptiness;
    if (!there && !alone) return {};
    if (!there) continue;
    if (alone) plan.begin_group();
    mark(*view, move, snapshot.now, plan);
  }
  // Behind the marks, because the launch of the replacements must fit in the limits.
  for (const auto& planned : move.replacements) {
    const scheduling::PoolView* pool = snapshot.pool(planned.pool);
    if (!pool) return {};
    plan::CreateNodeClaim create{.claim = claims::make_claim(planned, *pool),
                                 .why = to_lower(move.reason),
                                 .nominate = true,
                                 .promise = planned.pods};
    state::note_pods(planned.pods, create.claim);
    plan.add(std::move(create));
  }
  for (const auto& [name, pods] : move.pods_to_existing) {
    const NodeView* view = snapshot.node(name);
    plan.add(plan::Nominate{view && view->claim ? view->claim->meta.name : "", name});
    plan.add(plan::PromiseRoom{name, pods});
  }
  if (!plan.actions.empty()) plan.proposals.push_back(propose(move, snapshot));
  return plan;
}

plan::Plan decide_undo(const std::vector<model::NodeClaim>& created, const std::vector<std::string>& marked) {
  plan::Plan plan;
  for (const model::NodeClaim& claim : created) {
    plan.begin_group();
    plan.add(plan::DeleteNodeClaim{claim, ""});
  }
  plan.begin_group();
  for (const std::string& claim : marked) plan.add(plan::UnmarkForDeletion{claim});
  return plan;
}

plan::Plan decide_progress(const Snapshot& snapshot, const Command& command, size_t queued_nodes) {
  const Duration timeout = std::clamp<Duration>(kTimeoutPerNode * static_cast<int64_t>(queued_nodes),
                                                kCommandTimeoutMin, kCommandTimeoutMax);
  plan::Plan waiting;
  for (const std::string& name : command.replacements) {
    const NodeView* view = find_claim(snapshot, name);
    if (!view || view->claim->meta.deleting()) {
      plan::Plan plan;
      drop_replacements(snapshot, command, plan);
      return roll_back(snapshot, command, std::move(plan));
    }
    if (view->claim->is(model::kInitialized)) continue;
    waiting.requeue_after(kTick);
    const auto about = plan::ref(*view->claim);
    for (NodeEvent& event : std::array{launching_event(view->pool(), command.move.reason), waiting_event(view->pool())})
      waiting.event(about, "Normal", std::move(event.reason), std::move(event.message));
  }
  if (!waiting.again) return finish(snapshot, command);
  if (snapshot.now - command.started_at > timeout) {  // late replacements stay: the cause may be their pool
    return roll_back(snapshot, command, {});
  }
  return waiting;
}

plan::Plan decide_frozen(const Snapshot& snapshot, const Command& command) { return roll_back(snapshot, command, {}); }

bool rolls_back(const plan::Plan& plan) { return plan::find<plan::UnmarkForDeletion>(plan) != nullptr; }

std::vector<std::string> left_over(const Snapshot& snapshot, const std::vector<std::string>& held) {
  std::vector<std::string> nodes;
  for (const NodeView& view : snapshot.nodes) {
    const bool ours = view.managed() && std::find(held.begin(), held.end(), view.name()) == held.end();
    if (!ours || view.deleting()) continue;
    plan::Plan plan;
    release(view, snapshot.now, plan);
    if (!plan.actions.empty()) nodes.push_back(view.name());
  }
  return nodes;
}

plan::Plan decide_cleanup(const Snapshot& snapshot, const std::vector<std::string>& nodes) {
  plan::Plan plan;
  for (const std::string& name : nodes) release(*snapshot.node(name), snapshot.now, plan);
  return plan;
}

}  // namespace tenon::controllers::disruption
