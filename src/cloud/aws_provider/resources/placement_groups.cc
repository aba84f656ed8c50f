// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/placement_groups.h"

#include <set>

#include "model/labels.h"

namespace tenon::cloud {
namespace {

std::string key_of(const model::PlacementGroupSelector& selector) {
  return selector.id.empty() ? "name " + selector.name : "id " + selector.id;
}

}  // namespace

Result<std::optional<aws::PlacementGroup>> PlacementGroups::resolve(const model::NodeClass& node_class,
                                                                    const std::stop_token& stop) {
  const model::PlacementGroupSelector& selector = node_class.placement_group;
  if (selector.empty()) return std::nullopt;
  const std::string key = key_of(selector);
  if (auto found = fresh_.find(key)) return found;
  auto answer = ec2_.describe_placement_groups(selector.id, selector.name, stop);
  if (!answer && answer.error().code != Code::kNotFound) {
    if (auto old = stale_.find(key)) return old;
    return fail(std::move(answer).error());
  }
  if (!answer || answer->empty()) {
    stale_.erase(key);
    return fail(Code::kNotFound,
                "Placement group \"" + (selector.id.empty() ? selector.name : selector.id) + "\" not found");
  }
  fresh_.put(key, answer->front());
  stale_.put(key, answer->front());
  return std::optional(std::move(answer->front()));
}

std::optional<aws::PlacementGroup> PlacementGroups::known(const model::NodeClass& node_class) const {
  if (node_class.placement_group.empty()) return std::nullopt;
  return stale_.find(key_of(node_class.placement_group));
}

int64_t pick_partition(const model::Requirements& requirements, int64_t partitions, const IsOpen& open) {
  const auto asked = requirements.by_key().find(model::kLabelPlacementGroupPartition);
  if (asked == requirements.by_key().end()) return 0;
  std::set<std::string> allowed;
  for (int64_t partition = 1; partition <= partitions; ++partition) {
    const std::string text = std::to_string(partition);
    if (asked->second.allows(text) && (!open || open(partition))) allowed.insert(text);
  }
  return allowed.empty() ? 0 : std::stoll(*allowed.begin());
}

}  // namespace tenon::cloud
