// SPDX-License-Identifier: Apache-2.0
#include "controllers/cluster_metrics/groups.h"

#include <algorithm>
#include <utility>

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::controllers::cluster_metrics {

metrics::Labels Group::labels() const {
  return {{"nodepool", nodepool}, {"provisioner", provisioner},     {"zone", zone},
          {"arch", arch},         {"capacity_type", capacity_type}, {"instance_type", instance_type}};
}

std::vector<std::string> group_labels() {
  return {"nodepool", "zone", "arch", "capacity_type", "instance_type", "provisioner"};
}

Group group_of(const scheduling::NodeView& node) {
  const model::StringMap& labels = node.labels();
  const auto value = [&](std::string_view key) { return std::string(model::lookup(labels, key)); };
  const std::string_view pool = node.pool();
  return {std::string(pool),
          std::string(model::is_provisioner(pool) ? model::object_name(pool) : ""),
          value(model::kLabelZone),
          value(model::kLabelArch),
          value(model::kLabelCapacityType),
          value(model::kLabelInstanceType)};
}

Groups::Groups(const std::vector<scheduling::NodeView>& nodes) {
  std::map<Group, size_t> sizes;
  for (const auto& node : nodes) ++sizes[group_of(node)];
  std::vector<std::pair<Group, size_t>> ranked(sizes.begin(), sizes.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::string other = metrics::kOtherSeries;
  for (size_t i = 0; i < ranked.size(); ++i) {
    const Group& group = ranked[i].first;
    shown_.emplace(group,
                   i < kMostGroups ? group : Group{group.nodepool, group.provisioner, other, other, other, other});
  }
}

const Group& Groups::of(const scheduling::NodeView& node) const { return shown_.at(group_of(node)); }

}  // namespace tenon::controllers::cluster_metrics
