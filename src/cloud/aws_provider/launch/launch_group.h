// Groups a launch by launch template, and computes the labels and taints of the new Nodes. Pure.
// parity: provider-aws pkg/providers/instance, amifamily/resolver.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/aws_provider/launch/launch_choice.h"
#include "cloud/aws_provider/resources/ami_family.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr std::string_view kEfa = "vpc.amazonaws.com/efa";  // the resource

// The parameters of a launch template, and the candidates that it can launch.
struct LaunchGroup {
  std::string image_id;
  int64_t max_pods = 0;
  int64_t efa_interfaces = 0;  // only if the claim requests them
  std::string reservation_id;  // of every offering in the group; empty: none
  std::string reservation_type;
  bool interruptible = false;
  std::vector<const LaunchCandidate*> candidates;
};
// Returns one group for each image, pod limit, EFA count and reservation, in the order of the choice. Types that no
// image boots are omitted.
std::vector<LaunchGroup> group_candidates(const LaunchChoice& choice, const std::vector<model::ResolvedAmi>& amis,
                                          bool with_efa);

// Returns the IP addresses that a launch reserves in each zone: the minimum of its types' pod limits there.
std::map<std::string, int64_t> addresses_by_zone(const LaunchChoice& choice);

// The labels (only those that the kubelet may set itself; the controller sets the rest) and taints that the kubelet
// gives its Node.
model::StringMap node_labels(const model::NodeClaim& claim, const std::string& capacity_type, AmiFamily family);
std::vector<model::Taint> node_taints(const model::NodeClaim& claim);

// Returns whether Bottlerocket needs the paths of the instance storage to bind: before 1.46. An unknown version counts
// as older, "latest" as newer.
bool binds_storage_by_name(const model::NodeClass& node_class, const std::string& image_id);

}  // namespace tenon::cloud
