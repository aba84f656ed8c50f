// Problem: select the nodes that a pass may disrupt, and record for every other managed node what keeps it.
//
// Method: the first of these rules that applies keeps a node.
//   1. A started command or a waiting move includes it.
//   2. The node itself: an unreadable object, no Node, not initialized, being deleted, nominated for a pod, annotated
//      do-not-disrupt, or of a NodePool that is unknown or has no instance types.
//   3. A pod that cannot be read: on this node, or anywhere if not even the pod's node can be read.
//   4. A pod annotated do-not-disrupt, a pod whose PodDisruptionBudget allows no eviction, or a pod that more than one
//      PodDisruptionBudget covers.
// Drift (Patience::kEventual) skips rule 4 if the NodeClaim has a terminationGracePeriod: it ends these pods.
//
// Each candidate has a price and a disruption cost (cost.h). Budgets are used in the order of price / disruption cost,
// compared by cross products of 128 bits, which are exact.
//
// Example: node a costs 0.192 USD/h and has 2 ordinary pods: 1000 + 2 × 1000. Node b costs 0.096 and has no pods: 1000.
// b comes before a, because 0.096 per 1000 is more than 0.064.
//
// Cost: O(nodes + pods × PodDisruptionBudgets); O(n log n) comparisons for the order of n candidates.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/candidates.h"

#include <algorithm>

#include "disruption/cost.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/unreadable.h"
#include "scheduling/input/eviction.h"

namespace tenon::disruption {
namespace {

using model::Pod;
using scheduling::evictable;
using scheduling::NodeView;
using scheduling::refuses_disruption;
using scheduling::Snapshot;

template <class Object>
std::string cannot_read(const std::string& what, const Object& object) {
  const std::string_view why = model::unreadable(object);
  return why.empty() ? "" : what + " cannot be read: " + std::string(why);
}

// Returns why the NodeClaim, the Node or the NodePool cannot be read, for the first such object; empty if all can be.
std::string unreadable_part(const Snapshot& snapshot, const NodeView& node) {
  std::string why = cannot_read("NodeClaim " + node.claim->meta.name, *node.claim);
  if (why.empty() && node.node) why = cannot_read("Node " + node.node->meta.name, *node.node);
  const auto* pool = snapshot.pool(node.pool());
  if (why.empty() && pool) why = cannot_read("NodePool " + pool->pool->meta.name, *pool->pool);
  return why;
}

// An unreadable Pod keeps its Node, regardless of the terminationGracePeriod.
std::optional<Kept> unreadable_pod(const std::vector<scheduling::PodPtr>& pods) {
  for (const auto& pod : pods) {
    if (std::string why = cannot_read("Pod " + pod->key(), *pod); !why.empty())
      return Kept{"DisruptionBlocked", std::move(why), "pod/" + pod->key()};
  }
  return std::nullopt;
}

// An unreadable Pod whose Node is unknown keeps every Node.
std::optional<Kept> pod_of_unknown_node(const Snapshot& snapshot) {
  std::vector<scheduling::PodPtr> unknown;
  for (const auto& pod : snapshot.pending) {
    const auto* mark = model::find_condition(pod->conditions, model::kUnreadable);
    if (mark && mark->reason == model::kNodeUnknown) unknown.push_back(pod);
  }
  return unreadable_pod(unknown);
}

// Returns the text of v1, or the text of v0.27 for a node of a Provisioner.
std::string by_generation(const NodeView& node, std::string current, std::string earlier) {
  return model::is_provisioner(node.pool()) ? std::move(earlier) : std::move(current);
}

// Returns the first reason of the node itself against its disruption; empty if there is none.
std::string node_problem(const Snapshot& snapshot, const NodeView& node) {
  if (std::string why = unreadable_part(snapshot, node); !why.empty()) return why;
  if (!node.node) return "Nodeclaim does not have an associated node";
  if (!node.initialized()) return "Node isn't initialized";
  if (node.deleting()) return by_generation(node, "Node is deleting or marked for deletion", kBeingDeleted);
  if (node.nominated) return "Node is nominated for a pending pod";
  if (model::lookup(node.node->meta.annotations, model::kAnnotationDoNotDisrupt) == "true") {
    return "Disruption is blocked through the \"karpenter.sh/do-not-disrupt\" annotation";
  }
  if (node.pool().empty()) return "Node doesn't have required label (label=karpenter.sh/nodepool)";
  const auto* pool = snapshot.pool(node.pool());
  const std::string missing = "NodePool not found (NodePool=" + std::string(node.pool()) + ")";
  if (!pool) return missing;
  if (!pool->types) return missing + (pool->not_ready.empty() ? "" : ": " + pool->not_ready);
  return "";
}

bool blocks(const model::PodDisruptionBudget& budget, const Pod& pod) {
  if (budget.disruptions_allowed > 0) return false;
  return !(budget.always_allow_unhealthy && model::condition_is(pod.conditions, "Ready", "False"));
}

// Returns the first reason of the node's pods against its disruption.
std::optional<Kept> pod_problem(const Snapshot& snapshot, const NodeView& node) {
  for (const auto& pod : node.pods) {
    if (refuses_disruption(*pod, snapshot.now)) {
      return Kept{"DisruptionBlocked", "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=" + pod->key() + ")",
                  "pod/" + pod->key()};
    }
    if (scheduling::do_not_evict(*pod, node.pool())) {
      return Kept{"DisruptionBlocked", "pod " + pod->key() + " has do not evict annotation", "pod/" + pod->key()};
    }
  }
  for (const auto& pod : node.pods) {
    if (!evictable(*pod, snapshot.now)) continue;
    std::vector<const model::PodDisruptionBudget*> covering;
    for (const auto& budget : snapshot.disruption_budgets) {
      const bool covers =
          budget->meta.ns == pod->meta.ns && budget->selector && budget->selector->matches(pod->meta.labels);
      if (covers) covering.push_back(budget.get());
    }
    if (covering.size() > 1) {
      std::string names, objects;
      for (const auto* budget : covering) {
        const std::string name = budget->meta.ns + "/" + budget->meta.name;
        names += (names.empty() ? "" : " ") + name;
        objects += (objects.empty() ? "pdb/" : ", pdb/") + name;
      }
      return Kept{"DisruptionBlocked",
                  "Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[" + names + "])", objects};
    }
    if (covering.size() == 1 && blocks(*covering[0], *pod)) {
      const std::string name = covering[0]->meta.ns + "/" + covering[0]->meta.name;
      return Kept{"DisruptionBlocked",
                  by_generation(node, "Pdb prevents pod evictions (PodDisruptionBudget=[" + name + "])",
                                "pdb " + name + " prevents pod evictions"),
                  "pdb/" + name};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Candidate> candidates(const Snapshot& snapshot, const Options& options, Patience patience,
                                  std::map<std::string, Kept>& kept) {
  std::vector<Candidate> all;
  const std::optional<Kept> anywhere = pod_of_unknown_node(snapshot);
  for (const NodeView& node : snapshot.nodes) {
    if (!node.managed()) continue;
    if (in_command(options, node.name())) {
      kept[node.name()] = {"Waiting", "Node is being disrupted already", "node/" + node.name()};
      continue;
    }
    if (const std::string problem = node_problem(snapshot, node); !problem.empty()) {
      kept[node.name()] = {"DisruptionBlocked", problem, "node/" + node.name()};
      continue;
    }
    if (auto problem = anywhere ? anywhere : unreadable_pod(node.pods)) {
      kept[node.name()] = std::move(*problem);
      continue;
    }
    const bool ends_anyway = patience == Patience::kEventual && node.claim->termination_grace_period.has_value();
    if (!ends_anyway) {
      if (auto problem = pod_problem(snapshot, node)) {
        kept[node.name()] = std::move(*problem);
        continue;
      }
    }
    all.push_back({&node, snapshot.pool(node.pool()), price_of_instance(snapshot, node), disruption_cost_milli(node)});
  }
  return all;
}

std::vector<const Candidate*> most_saving_first(const std::vector<Candidate>& all) {
  __extension__ using Wide = __int128;
  std::vector<const Candidate*> order;
  for (const Candidate& candidate : all) order.push_back(&candidate);
  std::sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
    const Wide of_a = Wide{a->price.value()} * b->cost_milli, of_b = Wide{b->price.value()} * a->cost_milli;
    return of_a != of_b ? of_a > of_b : a->name() < b->name();
  });
  return order;
}

bool consolidatable(const Candidate& candidate) { return candidate.node->claim->is(model::kConsolidatable); }

}  // namespace tenon::disruption
