// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/node_class/drift.h"

#include <algorithm>
#include <set>

#include "cloud/aws_provider/resources/amis.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::cloud {

std::string static_drift(const model::NodeClaim& claim, std::string_view hash, std::string_view hash_version) {
  const std::string_view version = model::lookup(claim.meta.annotations, model::kAnnotationNodeClassHashVersion);
  const std::string_view launched = model::lookup(claim.meta.annotations, model::kAnnotationNodeClassHash);
  const bool comparable = version == hash_version && !launched.empty();
  return comparable && launched != hash ? "NodeClassDrift" : "";
}

std::string instance_drift(const aws::InstanceInfo& instance, const model::InstanceType* type,
                           const model::NodeClass& node_class) {
  // parity: karpenter v0.27.5 pkg/cloudprovider: no AMI drift of launch templates and inline providers
  const bool own_template = !node_class.launch_template.empty();
  if (type != nullptr && !own_template && !model::is_inline_provider(node_class.meta.name)) {
    const model::ResolvedAmi* ami = AmiChooser(node_class.amis).pick(*type);
    if (ami == nullptr || ami->id != instance.image_id) return "AMIDrift";
  }
  std::set<std::string> wanted;
  for (const auto& group : node_class.security_groups) wanted.insert(group.id);
  const std::set<std::string> has(instance.security_group_ids.begin(), instance.security_group_ids.end());
  if (!own_template && wanted != has) return "SecurityGroupDrift";
  const bool known_subnet = std::any_of(node_class.subnets.begin(), node_class.subnets.end(),
                                        [&](const auto& subnet) { return subnet.id == instance.subnet_id; });
  return known_subnet ? "" : "SubnetDrift";
}

std::string reservation_drift(const aws::InstanceInfo& instance, const model::NodeClass& node_class) {
  // An instance that lost its reservation is on-demand now. The claim's label is updated, which is not drift.
  if (instance.reservation_id.empty()) return "";
  const auto& all = node_class.reservations;
  const bool selected =
      std::any_of(all.begin(), all.end(), [&](const auto& r) { return r.id == instance.reservation_id; });
  return selected ? "" : "CapacityReservationDrift";
}

std::string placement_group_drift(const model::NodeClaim& claim, const std::optional<aws::PlacementGroup>& group) {
  const std::string_view launched = model::lookup(claim.meta.labels, model::kLabelPlacementGroupId);
  return launched == (group ? std::string_view(group->id) : std::string_view()) ? "" : "PlacementGroupDrift";
}

}  // namespace tenon::cloud
