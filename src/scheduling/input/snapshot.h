// Snapshot: the input of all decisions. Built by state/ from the informers, or by `tenon plan` from files; equal
// snapshots give equal decisions. Immutable once published; objects are shared, so that copies are cheap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/instance_type.h"
#include "model/node.h"
#include "model/node_claim.h"
#include "model/node_pool.h"
#include "model/pod.h"
#include "model/volume.h"
#include "scheduling/input/node_pods.h"
#include "scheduling/input/type_index.h"

namespace tenon::scheduling {

// A Node, a NodeClaim, or both if they have the same provider id.
// parity: karpenter pkg/controllers/state/statenode.go
struct NodeView {
  std::shared_ptr<const model::Node> node;        // null while in flight
  std::shared_ptr<const model::NodeClaim> claim;  // null for nodes that Tenon does not manage
  NodePods pods;                                  // bound to it and not terminal, by key
  bool nominated = false;                         // pending pods were recently planned here
  bool marked_for_deletion = false;               // a disruption command chose it
  struct Standing {
    bool registered, initialized;
  };
  // The results of standing() and ending(). make_node_views() (state/node_views.h) sets them; without them, each call
  // looks labels and conditions up. Code that replaces `node` or `claim` must reset them if the results change.
  struct Known {
    Standing standing;
    bool ending;
  };
  std::optional<Known> known = {};

  const std::string& name() const;  // the Node's name; the NodeClaim's while in flight
  std::string_view pool() const;    // the NodePool's name; empty if not managed
  bool managed() const { return claim != nullptr; }
  bool registered() const { return standing().registered; }
  bool initialized() const { return standing().initialized; }
  Standing standing() const;
  bool ending() const;    // either object has a deletionTimestamp, or its instance is terminating
  bool deleting() const;  // marked, or ending
  // As pods will find them: those of the claim until the node is registered, then the node's.
  const model::StringMap& labels() const { return labels(standing()); }
  std::vector<model::Taint> taints() const { return taints(standing()); }  // see below
  model::Resources capacity() const;
  model::Resources allocatable() const;  // the claim's for resources that the node does not report yet
  const model::Resources& pod_requests() const { return pods.totals().requests; }

  // The same with the result of standing(), which looks labels up.
  const model::StringMap& labels(Standing standing) const;
  std::vector<model::Taint> taints(Standing standing) const;  // no ephemeral and startup taints until initialized
};

struct PoolView {
  std::shared_ptr<const model::NodePool> pool;
  std::shared_ptr<const std::vector<model::InstanceType>> types;
  std::string not_ready;  // why it must not launch nodes now; empty if it may
  // The index of `types`. If it is null or of another list, each solve makes its own.
  std::shared_ptr<const TypeIndex> index = {};
};

struct Snapshot {
  Instant now{};
  std::vector<PoolView> pools;  // by name
  std::vector<NodeView> nodes;  // by name, including deleting ones
  std::vector<PodPtr> pending;  // provisionable pods, by key; pods of deleting nodes are added by the provisioner
  std::vector<std::shared_ptr<const model::DaemonSet>> daemon_sets;  // by key
  std::vector<std::shared_ptr<const model::PodDisruptionBudget>> disruption_budgets;
  std::map<std::string, model::PersistentVolumeClaim> volume_claims;  // by namespace/name
  std::map<std::string, model::PersistentVolume> volumes;             // by name
  std::map<std::string, model::StorageClass> storage_classes;         // by name
  std::map<std::string, model::CsiNode> csi_nodes;                    // by node name
  std::map<std::string, model::StringMap> namespace_labels;           // by name

  // Return null if there is none of this name.
  const PoolView* pool(std::string_view name) const;
  const NodeView* node(std::string_view name) const;
  // The number of nodes that counts against SolveOptions::max_nodes: all nodes and claims that are not being deleted. A
  // node that a disruption command has marked counts, because the command may be rolled back.
  int64_t size() const;
};

// Gives each PoolView an index of its types. Pools with the same list share one.
void index_types(Snapshot& snapshot);

}  // namespace tenon::scheduling
