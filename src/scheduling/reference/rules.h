// The rules that brute_force() asks for, each as plain as it can be said. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scheduling/snapshot.h"

namespace tenon::scheduling::reference {

// A node that could be bought: the offering is available and the pool's requirements allow it. Where they leave several
// values of a label of the pool's own there is one for each.
struct NewNode {
  const Snapshot* snapshot;
  const PoolView* pool;
  const model::InstanceType* type;
  const model::Offering* offering;
  model::StringMap labels;
  model::Resources room;  // beside its daemons
  bool wanted = false;    // some pending pod could be bought it, if it were the only one
  // It has room for the pods, and each may run there.
  bool holds(const std::vector<const model::Pod*>& pods) const;
};
std::vector<NewNode> new_nodes(const Snapshot& snapshot);
// The pool's limits allow this one beside the nodes that are there.
bool below_limits(const Snapshot& snapshot, const NewNode& node);
// These, all that a node may still be, show as many values of each key as its pool asks for. A node of a reservation is
// nothing else, and others are none.
bool reaches_min_values(const std::vector<const NewNode*>& offers, const NewNode& bought);

// The pod's node selector and affinity allow such a node.
bool selects(const model::Pod& pod, const model::StringMap& labels);

bool node_holds(const Snapshot& snapshot, const NodeView& node, const std::vector<const model::Pod*>& pods);

// Some pod's rule looks at zones.
bool zone_rules(const Snapshot& snapshot);

// A pod that the plan places. Pods of one bin have the same `bin`.
struct Standing {
  const model::Pod* pod;
  const void* bin;
  std::string zone;
  const NodeView* node;                       // of an existing node
  const std::vector<const NewNode*>* offers;  // what a new one may be
};
// The pod may join them now.
bool may_arrive(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& there,
                const Standing& coming);
// Those who run.
std::vector<Standing> running(const Snapshot& snapshot);
// Spreads, affinity and anti-affinity of and against the placed pods, as things stand when all have arrived.
bool topology_holds(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& placed);

}  // namespace tenon::scheduling::reference
