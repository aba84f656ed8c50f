// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/cluster_cache.h"

#include <algorithm>

#include "json/json.h"
#include "model/labels.h"

namespace tenon::kubesim {
std::string_view NodeInfo::label(std::string_view key, bool& has) const {
  const json::value* value = labels().if_contains(key);
  has = value != nullptr && value->is_string();
  return has ? std::string_view(value->get_string()) : std::string_view{};
}

void ClusterCache::set_node(const Object& object) {
  std::string name(name_of(*object));
  NodeInfo& node = nodes_[name];
  const bool is_new = node.object == nullptr;
  node.name = std::move(name);
  node.object = object;
  node.unschedulable = json::bool_at(*object, {"spec", "unschedulable"});
  node.taints = taints_of(*object);
  const json::object& allocatable = json::object_at(*object, {"status", "allocatable"});
  node.allocatable =
      parse_amounts(allocatable.empty() ? json::object_at(*object, {"status", "capacity"}) : allocatable);
  bool has = false;
  std::string zone(node.label(model::kLabelZone, has));
  if (is_new || zone != node.zone) order_stale_ = true;
  node.zone = std::move(zone);
}

void ClusterCache::remove_node(const std::string& name) {
  const auto at = nodes_.find(name);
  if (at == nodes_.end()) return;
  at->second.object = nullptr;
  order_stale_ = true;
  drop_if_unused(name);
}

void ClusterCache::drop_if_unused(const std::string& name) {
  const auto at = nodes_.find(name);
  if (at != nodes_.end() && at->second.object == nullptr && at->second.pods.empty()) nodes_.erase(at);
}

void ClusterCache::count(NodeInfo& node, const PodInfo& pod, int64_t sign) {
  if (sign > 0)
    node.requested += pod.requests;
  else
    node.requested -= pod.requests;
  node.score_cpu += sign * pod.score_cpu;
  node.score_memory += sign * pod.score_memory;
  auto labels = std::find_if(node.label_counts.begin(), node.label_counts.end(),
                             [&](const auto& entry) { return entry.labels == pod.labels; });
  if (labels == node.label_counts.end())
    labels = node.label_counts.insert(labels, NodeInfo::LabelCount{pod.labels, 0, 0});
  labels->all += sign;
  if (!pod.deleting) labels->live += sign;
  if (labels->all == 0) node.label_counts.erase(labels);
  if (pod.terms != nullptr) {
    auto terms = std::find_if(node.term_counts.begin(), node.term_counts.end(),
                              [&](const auto& entry) { return entry.terms == pod.terms; });
    if (terms == node.term_counts.end()) terms = node.term_counts.insert(terms, NodeInfo::TermCount{pod.terms, 0});
    terms->pods += sign;
    if (terms->pods == 0) node.term_counts.erase(terms);
    pods_with_terms_ += sign;
  }
  for (const HostPort& port : pod.ports) {
    if (sign > 0) {
      node.ports.push_back(port);
    } else {
      const auto at = std::find_if(node.ports.begin(), node.ports.end(), [&](const HostPort& other) {
        return other.port == port.port && other.ip == port.ip && other.protocol == port.protocol;
      });
      if (at != node.ports.end()) node.ports.erase(at);
    }
  }
}

void ClusterCache::set_pod(std::shared_ptr<const PodInfo> pod) {
  remove_pod(pod->key);
  NodeInfo& node = nodes_[pod->node_name];
  if (node.name.empty()) node.name = pod->node_name;
  count(node, *pod, +1);
  node_of_pod_[pod->key] = pod->node_name;
  node.pods[pod->key] = std::move(pod);
}

std::shared_ptr<const PodInfo> ClusterCache::remove_pod(const ObjectKey& key) {
  const auto where = node_of_pod_.find(key);
  if (where == node_of_pod_.end()) return nullptr;
  const std::string name = where->second;
  node_of_pod_.erase(where);
  NodeInfo& node = nodes_.at(name);
  const auto at = node.pods.find(key);
  std::shared_ptr<const PodInfo> pod = at->second;
  node.pods.erase(at);
  count(node, *pod, -1);
  drop_if_unused(name);
  return pod;
}

bool ClusterCache::in_reach(const PodTerm& term, const std::string& ns) const {
  if (term.namespaces.contains(ns)) return true;
  if (!term.has_namespace_selector) return false;
  const auto at = namespaces_.find(ns);
  return at != namespaces_.end() && term.namespace_selector.matches(labels_of(*at->second));
}

const std::vector<const NodeInfo*>& ClusterCache::nodes() const {
  if (!order_stale_) return order_;
  order_stale_ = false;
  order_.clear();
  std::map<std::string_view, std::vector<const NodeInfo*>> zones;
  size_t longest = 0;
  for (const auto& [name, node] : nodes_) {
    if (node.object == nullptr) continue;
    auto& zone = zones[node.zone];
    zone.push_back(&node);
    longest = std::max(longest, zone.size());
  }
  for (size_t round = 0; round < longest; ++round)
    for (const auto& [name, zone] : zones)
      if (round < zone.size()) order_.push_back(zone[round]);
  return order_;
}

const NodeInfo* ClusterCache::node(std::string_view name) const {
  const auto at = nodes_.find(name);
  return at == nodes_.end() || at->second.object == nullptr ? nullptr : &at->second;
}

}  // namespace tenon::kubesim
