// Which nodes can take a pod, and why the others cannot.
// parity: the filters and messages of kube-scheduler 1.34.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "minicluster/scheduler/topology.h"
#include "minicluster/scheduler/volumes.h"

namespace tenon::minicluster {

// One attempt to place one pod. Borrows everything for its lifetime.
class Filters {
 public:
  Filters(const ClusterCache& cache, const PodInfo& pod, const VolumeNeeds& volumes);

  // Whether the pod can go there now. Counts the refusal otherwise.
  bool allows(const NodeInfo& node);
  // Counts nodes that were not looked at because the pod names its node.
  void count_unpinned(int64_t nodes);

  // The whole text of the Unschedulable condition after every node of `nodes` was refused.
  std::string explain(size_t nodes) const;

  // The filters that need no counting: what decides whether a change of this node is worth another attempt.
  static bool static_fit(const NodeInfo& node, const PodInfo& pod);
  static bool fits_resources(const NodeInfo& node, const PodInfo& pod);
  // Nodes that refused for a reason that the removal of pods could cure.
  const std::vector<const NodeInfo*>& curable() const { return curable_; }

 private:
  void refuse(std::string_view reason, std::string_view detail = {});
  bool allows_resources(const NodeInfo& node, bool& curable);
  bool allows_volumes(const NodeInfo& node);
  bool allows_topology(const NodeInfo& node, bool& curable);
  bool allows_basics(const NodeInfo& node, bool& curable);

  const PodInfo& pod_;
  const VolumeNeeds& volumes_;
  SpreadFilter spread_;
  AffinityFilter affinity_;
  std::map<std::pair<std::string_view, std::string_view>, int64_t> refusals_;  // (text, resource) → nodes
  std::vector<const NodeInfo*> curable_;
};

// "0/3 nodes are available: <why>. <preemption>" when a pod is refused before any node is looked at.
std::string explain_refusal(const std::string& why, size_t nodes, const PodInfo& pod);

}  // namespace tenon::minicluster
