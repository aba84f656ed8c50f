// The rules for brute_force(), each as simple as possible. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::reference {

// A node that could be launched: the offering is available and the pool's requirements allow it. If they leave several
// values of a label that the pool itself decides, there is one NewNode for each.
struct NewNode {
  const Snapshot* snapshot;
  const PoolView* pool;
  const model::InstanceType* type;
  const model::Offering* offering;
  model::StringMap labels;
  model::Resources room;  // allocatable minus DaemonSet pods
  bool wanted = false;    // it could be launched for some pending pod, if that were the only one
  // Returns true if it has room for the pods and each may run there.
  bool holds(const std::vector<const model::Pod*>& pods) const;
};
std::vector<NewNode> new_nodes(const Snapshot& snapshot);
// Returns true if the pool's limits allow this node beside the existing ones.
bool below_limits(const Snapshot& snapshot, const NewNode& node);
// Returns true if `offers`, which a node may still become, have enough values for each of its pool's minValues. Only
// offers of the same reservation as `launched` (or of none) count.
bool reaches_min_values(const std::vector<const NewNode*>& offers, const NewNode& launched);

// Returns true if the pod's node selector and affinity allow such a node.
bool selects(const model::Pod& pod, const model::StringMap& labels);

bool node_holds(const Snapshot& snapshot, const NodeView& node, const std::vector<const model::Pod*>& pods);

// Returns true if some pod has a topology rule by zone.
bool zone_rules(const Snapshot& snapshot);

// A pod that the plan places. Pods of one bin have the same `bin`.
struct Standing {
  const model::Pod* pod;
  const void* bin;
  std::string zone;
  const NodeView* node;                       // of an existing node
  const std::vector<const NewNode*>* offers;  // of a new node: what it may become
};
// Returns true if the pod may be placed beside these pods now.
bool may_arrive(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& there,
                const Standing& coming);
// Returns the running pods.
std::vector<Standing> running(const Snapshot& snapshot);
// Returns true if spreads, affinity and anti-affinity hold for the placed pods after all have arrived. Affinity must
// hold on arrival, in some order.
bool topology_holds(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& placed);

}  // namespace tenon::scheduling::reference
