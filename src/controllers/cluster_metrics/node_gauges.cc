// SPDX-License-Identifier: Apache-2.0
#include "controllers/cluster_metrics/node_gauges.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "controllers/metrics.h"
#include "model/labels.h"
#include "model/well_known_labels.h"

namespace tenon::controllers::cluster_metrics {
namespace {

using metrics::Detail;
using scheduling::NodeView;

constexpr std::array<std::string_view, 3> kStandardResources{model::kCpu, model::kMemory, model::kPods};

// "karpenter.k8s.aws/instance-cpu" → "instance_cpu"
std::string label_name(std::string_view key) {
  std::string name(key.substr(key.find('/') + 1));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A label of metrics and the keys that it shows; a Node has at most one of them.
struct NodeLabel {
  std::string name;
  std::vector<std::string_view> keys;
};

// Returns the well-known labels that no group has, so that only a series of one node can have them.
const std::vector<NodeLabel>& node_labels() {
  static const auto labels = [] {
    const std::vector<std::string> of_group = group_labels();
    std::vector<NodeLabel> list;
    for (const std::string_view key : model::well_known_labels()) {
      std::string name = label_name(key);
      if (std::find(of_group.begin(), of_group.end(), name) != of_group.end()) continue;
      const auto known = std::find_if(list.begin(), list.end(), [&](const auto& label) { return label.name == name; });
      if (known == list.end()) {
        list.push_back({std::move(name), {key}});
      } else {
        known->keys.push_back(key);  // instance_cpu is a label of AWS and of kwok
      }
    }
    return list;
  }();
  return labels;
}

std::string_view first_value(const model::StringMap& labels, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view value = model::lookup(labels, key); !value.empty()) return value;
  }
  return {};
}

// The label phase is always empty: it is Node.status.phase, which Kubernetes no longer sets.
std::vector<std::string> of_node() {
  std::vector<std::string> labels{"node_name", "phase", "managed"};
  for (const auto& [name, keys] : node_labels()) labels.push_back(name);
  return labels;
}

metrics::Gauge& gauge(metrics::Registry& registry, const char* name, const char* help, Detail from) {
  std::vector<std::string> labels = group_labels();
  labels.emplace_back("resource_type");
  return registry.gauge({name, help, std::move(labels), of_node(), from});
}

// Adds the resources that the node has and that nobody requests: without these series, a query that sums or divides
// requests returns nothing.
model::Resources with_zeros(model::Resources requests, const model::Resources& allocatable) {
  for (const auto& [resource, amount] : allocatable.entries()) {
    if (!requests.has(resource)) requests.set(resource, 0);
  }
  return requests;
}

model::Resources limits_of(const NodeView& node, bool daemons_only) {
  model::Resources sum;
  for (const auto& pod : node.pods) {
    if (!daemons_only || pod->owned_by_daemon_set()) sum += pod->spec->limits;
  }
  return sum;
}

}  // namespace

std::string resource_type(std::string_view resource) {
  std::string name = to_lower(resource);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

double in_units(std::string_view resource, int64_t amount) {
  constexpr double kMillicores = 1000;
  return static_cast<double>(amount) / (resource == model::kCpu ? kMillicores : 1);
}

NodeGauges::NodeGauges(metrics::Registry& registry)
    : detail_(registry.detail()),
      allocatable_(gauge(registry, "karpenter_nodes_allocatable", "Allocatable resources of nodes: cores, bytes, pods.",
                         Detail::kStandard)),
      pod_requests_(gauge(registry, "karpenter_nodes_total_pod_requests",
                          "Requests of the pods on nodes, with those of DaemonSets.", Detail::kStandard)),
      pod_limits_(gauge(registry, "karpenter_nodes_total_pod_limits",
                        "Limits of the pods on nodes, with those of DaemonSets.", Detail::kFull)),
      daemon_requests_(gauge(registry, "karpenter_nodes_total_daemon_requests",
                             "Requests of the pods of DaemonSets on nodes.", Detail::kStandard)),
      daemon_limits_(gauge(registry, "karpenter_nodes_total_daemon_limits",
                           "Limits of the pods of DaemonSets on nodes.", Detail::kFull)),
      overhead_(gauge(registry, "karpenter_nodes_system_overhead",
                      "Resources of nodes that are reserved for the system: capacity less allocatable.",
                      Detail::kFull)),
      lifetime_(registry.gauge(
          {"karpenter_nodes_current_lifetime_seconds", "Age of nodes.", group_labels(), of_node(), Detail::kFull})),
      count_(registry.gauge({"karpenter_cluster_state_node_count", "Nodes and NodeClaims, joined or in flight."})),
      utilization_(registry.gauge({"karpenter_cluster_utilization_percent",
                                   "Requests of the pods on nodes as a percentage of the allocatable resources.",
                                   {"resource_type"}})),
      nodes_(registry.gauge({"tenon_nodes", "Nodes that have joined.", group_labels()})) {}

void NodeGauges::add(metrics::Gauge& gauge, const metrics::Labels& node, const model::Resources& amounts) const {
  if (!gauge.shown()) return;
  for (const auto& [resource, amount] : amounts.entries()) {
    const bool standard =
        std::find(kStandardResources.begin(), kStandardResources.end(), resource) != kStandardResources.end();
    if (detail_ == Detail::kStandard && !standard) continue;
    metrics::Labels labels = node;
    labels["resource_type"] = resource_type(resource);
    gauge.add(labels, in_units(resource, amount));
  }
}

metrics::Labels NodeGauges::labels_of(const NodeView& node, const Groups& groups) const {
  if (detail_ == Detail::kStandard) return groups.of(node).labels();
  metrics::Labels labels = group_of(node).labels();
  labels["node_name"] = node.name();
  labels["managed"] = node.managed() ? "true" : "false";
  for (const auto& [name, keys] : node_labels()) labels[name] = first_value(node.labels(), keys);
  return labels;
}

// Only Nodes count: a NodeClaim in flight has no pods yet.
void NodeGauges::show(const std::vector<NodeView>& nodes, const Groups& groups, Instant now) {
  count_.set(static_cast<double>(nodes.size()));
  for (const NodeView& view : nodes) {
    if (!view.node) continue;
    const metrics::Labels labels = labels_of(view, groups);
    nodes_.add(detail_ == Detail::kStandard ? labels : group_of(view).labels(), 1);
    add(allocatable_, labels, view.node->allocatable);
    add(pod_requests_, labels, with_zeros(view.pods.totals().requests, view.node->allocatable));
    add(daemon_requests_, labels, with_zeros(view.pods.totals().of_daemons, view.node->allocatable));
    if (detail_ == Detail::kStandard) continue;
    add(pod_limits_, labels, limits_of(view, false));
    add(daemon_limits_, labels, limits_of(view, true));
    add(overhead_, labels, view.node->capacity - view.node->allocatable);
    lifetime_.set(labels, in_seconds(now - view.node->meta.created_at));
  }
  show_utilization(nodes);
}

void NodeGauges::show_utilization(const std::vector<NodeView>& nodes) {
  model::Resources allocatable, requests;
  for (const NodeView& view : nodes) {
    if (!view.node) continue;
    allocatable += view.node->allocatable;
    requests += view.pods.totals().requests;
  }
  for (const auto& [resource, amount] : allocatable.entries()) {
    if (amount <= 0) continue;
    utilization_.set({{"resource_type", resource_type(resource)}},
                     100.0 * static_cast<double>(requests.get(resource)) / static_cast<double>(amount));
  }
}

void NodeGauges::hide() {
  for (metrics::Gauge* gauge : {&allocatable_, &pod_requests_, &pod_limits_, &daemon_requests_, &daemon_limits_,
                                &overhead_, &lifetime_, &utilization_, &nodes_}) {
    gauge->remove_matching({});
  }
}

}  // namespace tenon::controllers::cluster_metrics
