// The scheduler's cache of nodes and their pods, updated from watches and from its own bindings. Owned by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubesim/scheduler/pod_info.h"

namespace tenon::kubesim {

struct NodeInfo {
  std::string name, zone;
  Object object;  // null: pods name this node, but it does not exist
  bool unschedulable = false;
  std::vector<Taint> taints;
  Amounts allocatable, requested;
  int64_t score_cpu = 0, score_memory = 0;  // sums over the pods' PodInfo
  std::vector<HostPort> ports;              // of all pods
  std::map<ObjectKey, std::shared_ptr<const PodInfo>> pods;

  struct LabelCount {
    std::shared_ptr<const LabelSet> labels;
    int64_t all = 0, live = 0;  // live: not being deleted
  };
  struct TermCount {
    std::shared_ptr<const PodTerms> terms;
    int64_t pods = 0;
  };
  std::vector<LabelCount> label_counts;
  std::vector<TermCount> term_counts;

  const boost::json::object& labels() const { return labels_of(*object); }
  // Returns the node's value of a label. If the label is absent, the value is empty and `has` is false.
  std::string_view label(std::string_view key, bool& has) const;
};

class ClusterCache {
 public:
  void set_node(const Object& node);
  void remove_node(const std::string& name);
  // Adds a pod that has a node name and is not terminal; replaces the entry of that key.
  void set_pod(std::shared_ptr<const PodInfo> pod);
  // Returns the removed pod, or null.
  std::shared_ptr<const PodInfo> remove_pod(const ObjectKey& key);

  void set_namespace(const Object& ns) { namespaces_[std::string(name_of(*ns))] = ns; }
  void remove_namespace(const std::string& name) { namespaces_.erase(name); }
  // Returns whether a term selects pods of namespace `ns`.
  bool in_reach(const PodTerm& term, const std::string& ns) const;

  // Existing nodes, round-robin over the zones, by name within a zone.
  // parity: pkg/scheduler/internal/cache/node_tree.go
  const std::vector<const NodeInfo*>& nodes() const;
  const NodeInfo* node(std::string_view name) const;
  // Number of pods with affinity or anti-affinity terms for other pods.
  int64_t pods_with_terms() const { return pods_with_terms_; }

 private:
  void count(NodeInfo& node, const PodInfo& pod, int64_t sign);
  void drop_if_unused(const std::string& name);

  std::map<std::string, NodeInfo, std::less<>> nodes_;
  std::map<ObjectKey, std::string> node_of_pod_;
  std::map<std::string, Object, std::less<>> namespaces_;
  mutable std::vector<const NodeInfo*> order_;
  mutable bool order_stale_ = true;
  int64_t pods_with_terms_ = 0;
};

}  // namespace tenon::kubesim
