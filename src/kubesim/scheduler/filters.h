// The nodes that fit a pod, and the reasons why the others do not.
// parity: the filters and messages of kube-scheduler 1.34.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/scheduler/topology.h"
#include "kubesim/scheduler/volumes.h"

namespace tenon::kubesim {

// One attempt to place one pod. Borrows its arguments for its lifetime.
class Filters {
 public:
  Filters(const ClusterCache& cache, const PodInfo& pod, const VolumeNeeds& volumes);

  // Returns whether the pod fits on the node now. Otherwise counts the reason.
  bool allows(const NodeInfo& node);
  // Counts nodes that are not filtered because the pod names its node.
  void count_unpinned(int64_t nodes);

  // Returns the message of the Unschedulable condition after every node of `nodes` was rejected.
  std::string explain(size_t nodes) const;

  // The filters that count nothing. They decide whether a change of this node justifies another attempt.
  static bool static_fit(const NodeInfo& node, const PodInfo& pod);
  static bool fits_resources(const NodeInfo& node, const PodInfo& pod);
  // Nodes that were rejected for a reason that preemption can remove.
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

// Returns "0/3 nodes are available: <why>. <preemption>" for a pod that is rejected before any node is filtered.
std::string explain_refusal(const std::string& why, size_t nodes, const PodInfo& pod);

}  // namespace tenon::kubesim
