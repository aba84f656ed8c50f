// SPDX-License-Identifier: Apache-2.0
#include "controllers/cluster_metrics/pod_gauges.h"

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace tenon::controllers::cluster_metrics {
namespace {

// "ReplicaSet/web"
std::string owner_of(const model::Pod& pod) {
  const model::OwnerReference* owner = pod.controller();
  return owner ? owner->kind + "/" + owner->name : "";
}

std::vector<std::string> labels() {
  std::vector<std::string> labels = group_labels();
  labels.insert(labels.end(), {"phase", "scheduled"});
  return labels;
}

}  // namespace

PodGauges::PodGauges(metrics::Registry& registry)
    : detail_(registry.detail()),
      state_(registry.gauge({"karpenter_pods_state",
                             "1 for each pod: what it is and where it runs.",
                             labels(),
                             {"name", "namespace", "owner", "node", "ready", "managed"}})) {}

void PodGauges::show(const std::vector<std::shared_ptr<const model::Pod>>& pods,
                     const std::vector<scheduling::NodeView>& nodes, const Groups& groups) {
  std::unordered_map<std::string, const scheduling::NodeView*> by_name;
  for (const auto& node : nodes) {
    if (node.node) by_name.emplace(node.name(), &node);
  }
  const auto node_of = [&](const model::Pod& pod) {
    const auto at = pod.node_name.empty() ? by_name.end() : by_name.find(pod.node_name);
    return at == by_name.end() ? nullptr : at->second;
  };
  if (detail_ == metrics::Detail::kStandard) return show_sums(pods, node_of, groups);
  for (const auto& pod : pods) {
    const scheduling::NodeView* node = node_of(*pod);
    metrics::Labels labels;
    if (node) labels = group_of(*node).labels();
    labels["phase"] = pod->phase;
    labels["scheduled"] = pod->node_name.empty() ? "false" : "true";
    labels["name"] = pod->meta.name;
    labels["namespace"] = pod->meta.ns;
    labels["owner"] = owner_of(*pod);
    labels["node"] = node ? pod->node_name : "";  // nodes of other providers are not named
    labels["ready"] = model::condition_is(pod->conditions, "Ready", "True") ? "true" : "false";
    labels["managed"] = node && node->managed() ? "true" : "false";
    state_.add(labels, 1);
  }
}

// Builds the labels once for each node and phase: there are thirty times as many pods.
void PodGauges::show_sums(const std::vector<std::shared_ptr<const model::Pod>>& pods, const NodeOf& node_of,
                          const Groups& groups) {
  std::map<std::tuple<const scheduling::NodeView*, bool, std::string_view>, double> counts;
  for (const auto& pod : pods) ++counts[{node_of(*pod), !pod->node_name.empty(), pod->phase}];
  for (const auto& [kind, count] : counts) {
    const auto& [node, scheduled, phase] = kind;
    metrics::Labels labels;
    if (node) labels = groups.of(*node).labels();
    labels["phase"] = phase;
    labels["scheduled"] = scheduled ? "true" : "false";
    state_.add(labels, count);
  }
}

}  // namespace tenon::controllers::cluster_metrics
