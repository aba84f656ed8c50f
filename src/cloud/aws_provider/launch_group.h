// Which launch templates a launch needs, and what instances from them tell their Nodes. Pure.
// parity: provider-aws pkg/providers/instance, amifamily/resolver.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/aws_provider/ami_family.h"
#include "cloud/aws_provider/launch_choice.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr std::string_view kEfa = "vpc.amazonaws.com/efa";  // the resource

// A template, and what it may start.
struct LaunchGroup {
  std::string image_id;
  int64_t max_pods = 0;
  int64_t efa_interfaces = 0;  // only if the claim asks for them
  std::string reservation_id;  // of every offering that is launched; empty: none
  std::string reservation_type;
  bool interruptible = false;
  std::vector<const LaunchCandidate*> candidates;
};
// One group per image, pod limit, EFA count and reservation, in the order of the choice. Types that no image boots are
// left out.
std::vector<LaunchGroup> group_candidates(const LaunchChoice& choice, const std::vector<model::ResolvedAmi>& amis,
                                          bool with_efa);

// Addresses that a launch may take in a zone: the least that any of its types there would.
std::map<std::string, int64_t> addresses_by_zone(const LaunchChoice& choice);

// What kubelet gives its Node: labels (those that kubelet may set itself; the controller sets the rest) and taints.
model::StringMap node_labels(const model::NodeClaim& claim, const std::string& capacity_type, AmiFamily family);
std::vector<model::Taint> node_taints(const model::NodeClaim& claim);

// Storage before Bottlerocket 1.46 must be told what to bind; an unknown version counts as old, latest as new.
bool binds_storage_by_name(const model::NodeClass& node_class, const std::string& image_id);

}  // namespace tenon::cloud
