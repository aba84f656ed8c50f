// The parts of convert(); used by it and by their tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "legacy/findings.h"

namespace tenon::legacy {

inline constexpr std::string_view kPoolApi = "karpenter.sh/v1", kClassApi = "karpenter.k8s.aws/v1";
inline constexpr std::string_view kOldPoolApi = "karpenter.sh/v1beta1", kOldClassApi = "karpenter.k8s.aws/v1beta1";
// The role of a class whose template has no instance profile: not a valid name, so that nothing is launched with it.
inline constexpr std::string_view kRolePlaceholder = "$KARPENTER_NODE_ROLE";
// The id that Karpenter's conversion writes for Ubuntu's images, which v1 cannot name. No image has it: Karpenter
// launches nothing with it. Tenon reads it, with the family AL2, as Ubuntu's published images
// (kube/codec/node_class.cc).
inline constexpr std::string_view kNoImage = "ami-placeholder";

// Returns the NodePool of a Provisioner, which refers to the EC2NodeClass of this name. `drift`: the setting
// featureGates.driftEnabled. convert_provisioner.cc.
boost::json::value convert_provisioner(const boost::json::value& provisioner, std::string_view class_name, bool drift,
                                       std::vector<Note>& notes);
// Returns the EC2NodeClass of the spec of an AWSNodeTemplate, or of an inline provider; `path` is that of `spec`.
// `kubelet`: a Provisioner's kubeletConfiguration; null: none. `profile`: the default instance profile; empty: none.
// Adds to `refused` what cannot be converted; not spec.launchTemplate, which the caller handles.
// convert_node_template.cc.
boost::json::value convert_node_template(const boost::json::value& spec, const std::string& path,
                                         const boost::json::value& kubelet, std::string_view profile,
                                         std::vector<Note>& notes, std::vector<Note>& refused);
// Returns the terms of a selector of subnets or security groups. convert_selectors.cc.
boost::json::value convert_selector(const boost::json::value& selector, const std::string& path,
                                    std::vector<Note>& notes, std::vector<Note>& refused);
boost::json::value convert_ami_selector(const boost::json::value& selector, const std::string& path,
                                        std::vector<Note>& notes, std::vector<Note>& refused);

// Return the v1 document of a v1beta1 one, without what other documents decide (the kubelet). convert_v1beta1.cc.
boost::json::value convert_v1beta1_pool(const boost::json::value& pool, std::string_view class_name,
                                        std::vector<Note>& notes);
boost::json::value convert_v1beta1_claim(const boost::json::value& claim, std::vector<Note>& notes);
// A spec that is not an object stays unchanged. The codec of EC2NodeClasses uses it, too.
boost::json::value convert_v1beta1_class(const boost::json::value& node_class);

// Converts a NodePool, NodeClaim or EC2NodeClass of v1 to v1beta1, with metadata and status. Drops the fields that
// v1beta1 does not have, except the kubelet in its annotation. convert_to_v1beta1.cc.
boost::json::value convert_to_v1beta1(const boost::json::value& document);

// Returns the metadata that a converted object keeps: name, labels, annotations and finalizers.
boost::json::value kept_metadata(const boost::json::value& document);
// Replaces the annotations and labels of v0.27 by those of v1: do-not-evict and do-not-consolidate by do-not-disrupt.
void rename_annotations(boost::json::value& annotations, const std::string& path, std::vector<Note>& notes);

}  // namespace tenon::legacy
