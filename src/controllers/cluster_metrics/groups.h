// Groups of nodes for the metrics at standard detail: nodes with equal labels that dashboards filter by. Their number
// is bounded: the groups with the most nodes keep their labels, and the others are summed by NodePool, with the value
// metrics::kOtherSeries for all other labels. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "metrics/registry.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::cluster_metrics {

// The groups that keep their own labels.
inline constexpr size_t kMostGroups = 96;

struct Group {
  std::string nodepool, provisioner;  // provisioner: of v0.27; empty for nodes of NodePools
  std::string zone, arch, capacity_type, instance_type;
  auto operator<=>(const Group&) const = default;
  metrics::Labels labels() const;
};
// The labels of a group, in the order of the metrics.
std::vector<std::string> group_labels();
Group group_of(const scheduling::NodeView& node);

class Groups {
 public:
  explicit Groups(const std::vector<scheduling::NodeView>& nodes);
  // Returns the group that represents the node.
  const Group& of(const scheduling::NodeView& node) const;

 private:
  std::map<Group, Group> shown_;  // group → itself, or the rest of its NodePool
};

}  // namespace tenon::controllers::cluster_metrics
