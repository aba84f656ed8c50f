// Existing nodes and claims in flight, with the room that is left on them: allocatable, minus the requests of their
// pods, minus what DaemonSets that belong on the node will still request. Example: 4 CPU allocatable; pods request 2.5
// CPU, 0.2 of it for daemons; DaemonSets that belong here request 0.3 CPU. Free are 4 − 2.5 − (0.3 − 0.2) = 1.4 CPU.
//
// Cost: nodes × DaemonSets.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/compile/parts.h"
#include "scheduling/compile/preferences.h"
#include "scheduling/compile/problem.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/pod_check.h"

namespace tenon::scheduling {
namespace {

struct Daemon {
  const model::Pod* pod = nullptr;
  std::vector<model::Requirements> terms;
  Amounts requests;
};

std::vector<Daemon> list_daemons(const Problem& problem) {
  std::vector<Daemon> daemons;
  for (const model::DaemonSet* set : problem.daemons) {
    const model::Pod& pod = set->pod_template;
    if (auto terms = daemon_terms(pod))
      daemons.push_back({&pod, std::move(*terms), problem.amounts(pod.spec->requests)});
  }
  return daemons;
}

// Returns what daemons will still request: the requests of those that belong here minus those that run here.
Amounts daemons_to_come(const Problem& problem, const std::vector<Daemon>& daemons, const NodeProblem& node) {
  Amounts expected(problem.resources.size(), 0);
  for (const Daemon& daemon : daemons) {
    if (!daemon_tolerates(*daemon.pod, node.taints)) continue;
    const auto fits = [&](const model::Requirements& term) { return labels_satisfy(*node.labels, term); };
    if (std::none_of(daemon.terms.begin(), daemon.terms.end(), fits)) continue;
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += daemon.requests[i];
  }
  const Amounts running = problem.amounts(node.view->pods.totals().of_daemons);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = std::max<int64_t>(expected[i] - running[i], 0);
  return expected;
}

void count_volumes(const Problem& problem, NodeProblem& node) {
  const auto csi = problem.snapshot->csi_nodes.find(node.name);
  if (csi == problem.snapshot->csi_nodes.end() || csi->second.driver_limits.empty()) return;
  for (const auto& [driver, limit] : csi->second.driver_limits) node.volume_room[driver] = limit;
  for (const PodPtr& pod : node.view->pods.totals().with_volumes) {
    for (const auto& [driver, claim] : attached_volumes(*problem.snapshot, *pod)) {
      const auto room = node.volume_room.find(driver);
      if (room != node.volume_room.end() && node.volumes.insert(claim).second) --room->second;
    }
  }
}

}  // namespace

void compile_nodes(Problem& problem) {
  // SolveOptions::removed_nodes count against the limit: they exist until their replacements are ready.
  if (const auto most = problem.options.max_nodes) problem.node_room = *most - problem.snapshot->size();
  const auto &gone = problem.options.removed_nodes, &closed = problem.options.closed_nodes;
  std::unordered_set<std::string_view> left_out(gone.begin(), gone.end());
  left_out.insert(closed.begin(), closed.end());
  const std::vector<Daemon> daemons = list_daemons(problem);
  problem.nodes.reserve(problem.snapshot->nodes.size());
  for (const NodeView& view : problem.snapshot->nodes) {
    if (view.deleting() || left_out.contains(view.name())) continue;
    const NodeView::Standing standing = view.standing();
    NodeProblem& node = problem.nodes.emplace_back();
    node.view = &view;
    node.name = view.name();
    node.removable = problem.removable.contains(node.name);
    node.initialized = standing.initialized;
    node.labels = &view.labels(standing);
    if (!node.labels->contains(model::kLabelHostname)) {
      node.labels = &problem.made_labels.emplace_back(*node.labels);
      problem.made_labels.back().emplace(model::kLabelHostname, node.name);
    }
    node.taints = view.taints(standing);
    for (const model::Taint& taint : node.taints) problem.soft_taints |= taint.effect == "PreferNoSchedule";
    const bool own = view.node && standing.initialized;  // then a copy is not needed
    node.free = own ? problem.amounts(view.node->allocatable) : problem.amounts(view.allocatable());
    const Amounts taken = problem.amounts(view.pod_requests()), coming = daemons_to_come(problem, daemons, node);
    for (size_t i = 0; i < node.free.size(); ++i) node.free[i] -= taken[i] + coming[i];
    node.ports = view.pods.totals().ports;
    count_volumes(problem, node);
  }
  const auto by_name = [](const NodeProblem& a, const NodeProblem& b) { return a.name < b.name; };
  if (!std::is_sorted(problem.nodes.begin(), problem.nodes.end(), by_name))
    std::stable_sort(problem.nodes.begin(), problem.nodes.end(), by_name);
  const auto initialized = [](const NodeProblem& node) { return node.initialized; };
  if (!std::is_partitioned(problem.nodes.begin(), problem.nodes.end(), initialized))
    std::stable_partition(problem.nodes.begin(), problem.nodes.end(), initialized);
}

}  // namespace tenon::scheduling
