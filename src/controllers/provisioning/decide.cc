// The provisioner calls decide() with the solution of a batch. The plan has two parts: nominations and NodeClaims,
// which need the turn, each claim a group of its own so that the failure of one does not end the others; then, in one
// last group, releases of drains and events, which need nothing.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "controllers/claims/batches.h"
#include "controllers/claims/make_claim.h"
#include "model/generations.h"
#include "scheduling/compile/problem.h"
#include "scheduling/input/pod_check.h"
#include "scheduling/input/solution.h"
#include "state/open_launches.h"

namespace tenon::controllers::provisioning {
namespace {

// Returns every pod that the solution may name: pending pods, and pods of nodes that are being deleted. Pods of buffers
// are left out, because they do not exist and get no events.
using PodsByKey = std::map<std::string, const model::Pod*>;
PodsByKey pods_by_key(const scheduling::Snapshot& snapshot) {
  PodsByKey by_key;
  for (const auto& node : snapshot.nodes) {
    if (!node.deleting()) continue;  // a cluster has hundreds of thousands of pods on the others
    for (const auto& pod : node.pods) by_key[pod->key()] = pod.get();
  }
  for (const auto& pod : snapshot.pending) {
    if (pod->spec->buffer.empty()) by_key[pod->key()] = pod.get();
  }
  return by_key;
}

// `name`: of a view.
plan::Nominate nomination(const scheduling::Snapshot& snapshot, const std::string& name) {
  const scheduling::NodeView* view = snapshot.node(name);
  if (!view) return {"", name};
  return {view->claim ? view->claim->meta.name : "", view->node ? view->node->meta.name : ""};
}

// "2 pods and room for 3 pods"
std::string what_it_holds(size_t pods, size_t room) {
  if (room == 0) return counted(pods, "pod");
  return (pods == 0 ? "" : counted(pods, "pod") + " and ") + "room for " + counted(room, "pod");
}

std::string describe(const scheduling::PlannedNode& node, const std::string& holds) {
  return fmt::format("{} {} in {} at ${}/h for {} of {}; {} can hold them", node.launch.capacity_type,
                     node.launch.instance_type, node.launch.zone, model::format_usd(node.launch.price), holds,
                     model::pool_reference(node.pool), counted(node.instance_types.size(), "type"));
}

// Adds the NodeClaim of each planned node.
void add_creates(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution, const PodsByKey& pods,
                 plan::Plan& plan) {
  std::vector<plan::CreateNodeClaim> creates;
  for (const auto& node : solution.new_nodes) {
    const scheduling::PoolView* view = snapshot.pool(node.pool);
    if (!view) continue;
    plan::CreateNodeClaim create{.claim = claims::make_claim(node, *view), .nominate = true};
    for (const std::string& key : node.pods) {
      const auto at = pods.find(key);
      if (at != pods.end()) create.events.push_back(nominated_event(at->second->meta, node.pool, "", ""));
    }
    const size_t named = create.events.size();
    const std::string words = describe(node, what_it_holds(named, node.pods.size() - named));
    create.log = ": " + words;
    plan.proposals.push_back({plan::kWouldLaunch, join(node.pods, ","), "launch " + words, node.pool});
    creates.push_back(std::move(create));
  }
  std::vector<model::NodeClaim*> created;
  for (plan::CreateNodeClaim& create : creates) created.push_back(&create.claim);
  claims::mark_batches(created, claims::pass_id("p", snapshot.now));
  for (plan::CreateNodeClaim& create : creates) {
    std::vector<std::string> keys;
    for (const plan::RecordEvent& event : create.events) keys.push_back(event.about.ns + "/" + event.about.name);
    state::note_pods(keys, create.claim);
    plan.begin_group();
    plan.add(std::move(create));
  }
}

// Adds events about pods without a node, and about NodePools without a type.
void add_failures(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution, const PodsByKey& pods,
                  std::vector<plan::RecordEvent>& events) {
  for (const auto& [key, why] : solution.unschedulable) {
    const auto pod = pods.find(key);
    if (pod == pods.end() || scheduling::avoids_our_nodes(*pod->second)) continue;
    events.push_back({plan::pod_ref(pod->second->meta), "Warning", "FailedScheduling",
                      "Failed to schedule pod, " + why.message, 5min});
  }
  for (const auto& [name, by_min_values] : solution.pools_without_types) {
    const std::string why = by_min_values ? " due to minValues incompatibility" : "";
    events.push_back({plan::ref(*snapshot.pool(name)->pool), "Warning", "NoCompatibleInstanceTypes",
                      "NodePool requirements filtered out all compatible available instance types" + why, 1min});
  }
}

}  // namespace

plan::RecordEvent nominated_event(const model::ObjectMeta& pod, std::string_view pool, const std::string& claim,
                                  const std::string& node) {
  if (model::is_provisioner(pool)) {
    const std::string where = !node.empty() ? node : claim.empty() ? "" : "nodeclaim/" + claim;
    return {plan::pod_ref(pod), "Normal", "Nominated", "Pod should schedule on node: " + where};
  }
  std::string where;
  if (!claim.empty()) where = "nodeclaim/" + claim;
  if (!node.empty()) where += (where.empty() ? "node/" : ", node/") + node;
  return {plan::pod_ref(pod), "Normal", "Nominated", "Pod should schedule on: " + where};
}

plan::Plan decide(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution,
                  const LedgerView& ledger) {
  plan::Plan plan;
  const PodsByKey pods = pods_by_key(snapshot);
  std::vector<plan::RecordEvent> events;
  for (const std::string& name : ledger.kept) plan.add(nomination(snapshot, name));
  for (const auto& [name, keys] : solution.existing) {
    if (std::none_of(keys.begin(), keys.end(), [&](const std::string& key) { return pods.contains(key); })) continue;
    const plan::Nominate nominate = nomination(snapshot, name);
    plan.add(nominate);
    if (!snapshot.node(name)) continue;
    for (const std::string& key : keys) {
      const auto pod = pods.find(key);
      if (pod == pods.end() || !pod->second->node_name.empty()) continue;
      events.push_back(nominated_event(pod->second->meta, snapshot.node(name)->pool(), nominate.claim, nominate.node));
    }
  }
  add_creates(snapshot, solution, pods, plan);
  if (!plan.actions.empty()) plan.turn = ledger.turns;
  plan.begin_group();
  for (const auto& node : snapshot.nodes) {
    if (node.claim && node.deleting() && ledger.held_drains.contains(node.claim->meta.name))
      plan.add(plan::ReleaseDrain{node.claim->meta.name});
  }
  add_failures(snapshot, solution, pods, events);
  if (!events.empty()) plan.add(plan::RecordEvents{std::move(events)});
  return plan;
}

size_t count_ignored(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution) {
  const auto ignored = [&](const auto& pod) {
    return solution.unschedulable.contains(pod->key()) && !pod->spec->uses_resource_claims &&
           !scheduling::pod_problem(snapshot, *pod).empty();
  };
  return static_cast<size_t>(std::count_if(snapshot.pending.begin(), snapshot.pending.end(), ignored));
}

plan::Plan decide_buffers(const std::vector<model::CapacityBuffer>& buffers, const scheduling::BufferStates& states,
                          Instant now) {
  plan::Plan plan;
  for (const model::CapacityBuffer& before : buffers) {
    const auto at = states.find(before.meta.ns + "/" + before.meta.name);
    if (at == states.end()) continue;
    const scheduling::BufferState& state = at->second;
    model::CapacityBuffer after = before;
    model::CapacityBufferStatus& status = after.status;
    status.strategy = before.strategy;
    status.pod_template = before.pod_template;
    if (!before.pod_template.empty()) status.pod_template_generation = state.source_generation;
    status.replicas = state.pods;
    for (model::Condition& condition : state.conditions(now)) {
      condition.observed_generation = before.meta.generation;
      model::set_condition(status.conditions, std::move(condition));
    }
    if (after == before) continue;
    plan.begin_group();
    plan.add(plan::PatchCapacityBuffer{before, after});
  }
  return plan;
}

}  // namespace tenon::controllers::provisioning
