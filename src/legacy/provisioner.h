// Provisioner (karpenter.sh/v1alpha5, Karpenter up to v0.32): defaults and validation as its webhooks had them. The
// functions expect a document whose types the CRD's schema has accepted (deploy/crds/v0.27); a field of another type
// counts as absent. Pure.
// provisioner_defaults.cc, provisioner_validation.cc, provisioner_labels.cc and provisioner_kubelet.cc are the sources.
// parity: karpenter-core v0.27.5 pkg/apis/v1alpha5/provisioner_{defaults,validation}.go, karpenter v0.27.5
// pkg/apis/v1alpha5/provisioner.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "legacy/findings.h"

namespace tenon::legacy {

inline constexpr std::string_view kProvisionerApi = "karpenter.sh/v1alpha5";

// Appends the requirements that are absent: linux, amd64, on-demand; and categories c, m and r of generation 3 or later
// if no requirement selects a type, family, category or generation.
void apply_defaults(boost::json::value& provisioner);

// Returns every invalid field; empty: the object is valid. An inline spec.provider is validated as an AWSNodeTemplate.
std::vector<FieldError> validate_provisioner(const boost::json::value& provisioner);

// The parts of validate_provisioner(), with paths below "spec".
std::vector<FieldError> validate_labels(const boost::json::value& provisioner);
std::vector<FieldError> validate_requirements(const boost::json::value& provisioner);
std::vector<FieldError> validate_kubelet(const boost::json::value& provisioner);

}  // namespace tenon::legacy
