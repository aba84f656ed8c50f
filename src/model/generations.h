// Identity of pools and node classes of both generations of the API. One engine serves both; its keys of a NodePool and
// of an EC2NodeClass are their names, those of a Provisioner and an AWSNodeTemplate have a prefix that no name can
// have:
//
//   NodePool default          "default"                    karpenter.sh/nodepool: default
//   Provisioner default       "provisioner/default"        karpenter.sh/provisioner-name: default
//   AWSNodeTemplate default   "awsnodetemplate/default"
//
// The node class of a Provisioner with an inline spec.provider has the key of the Provisioner, "provisioner/default".
// The key is meta.name of the projected object (kube/codec/earlier_api.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/meta.h"

namespace tenon::model {

inline constexpr std::string_view kLabelProvisioner = "karpenter.sh/provisioner-name";
// The label of our Nodes that names their AWSNodeTemplate; Karpenter v0.27 had none.
inline constexpr std::string_view kLabelNodeTemplate = "karpenter.k8s.aws/awsnodetemplate";
inline constexpr std::string_view kProvisionerPrefix = "provisioner/", kNodeTemplatePrefix = "awsnodetemplate/";
inline constexpr std::string_view kNodeTemplateKind = "AWSNodeTemplate", kProvisionerKind = "Provisioner";
// The annotation of NodeClaims and Nodes that holds the inline spec.provider of their Provisioner, as JSON. parity:
// karpenter-core v0.27.5 pkg/apis/v1alpha5/labels.go
inline constexpr std::string_view kAnnotationProvider = "compatibility.karpenter.sh/provider";
// legacy/served_versions.h keeps two fields of v1beta1 that v1 does not have in these annotations. The first holds the
// kubelet's configuration of a NodePool, which replaces that of its class. The second marks a NodeClaim to which the
// current expireAfter of its NodePool applies.
inline constexpr std::string_view kAnnotationKubelet = "compatibility.karpenter.sh/v1beta1-kubelet-conversion",
                                  kAnnotationExpireAfter = "compatibility.karpenter.sh/v1beta1-expire-after";

bool is_provisioner(std::string_view pool);
bool is_node_template(std::string_view node_class);
bool is_inline_provider(std::string_view node_class);  // its object is a Provisioner
// Returns the name of the object in the API: the key without its prefix.
std::string_view object_name(std::string_view key);

// Returns the reference to the pool in texts: "nodepool/default", "provisioner/default".
std::string pool_reference(std::string_view pool);

// Returns the label of NodeClaims and Nodes that names their pool, as key and value.
std::pair<std::string_view, std::string_view> pool_label(std::string_view pool);
// Returns the key of the pool that these labels name; empty if they name none. The text of a Provisioner's key is
// stored once for each name and lives as long as the process.
std::string_view pool_of(const StringMap& labels);

}  // namespace tenon::model
