// AWSNodeTemplate (karpenter.k8s.aws/v1alpha1, Karpenter up to v0.32) and the inline spec.provider of a Provisioner:
// validation as the webhook had it. The functions expect types that the CRD's schema has accepted. Pure.
// parity: karpenter v0.27.5 pkg/apis/v1alpha1/{awsnodetemplate,provider}_validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>
#include <vector>

#include "legacy/findings.h"

namespace tenon::legacy {

inline constexpr std::string_view kNodeTemplateApi = "karpenter.k8s.aws/v1alpha1";

// Returns every invalid field of an AWSNodeTemplate. Its paths begin with "spec.provider", as the webhook's did, except
// those of rules that only templates have.
std::vector<FieldError> validate_node_template(const boost::json::value& node_template);
// Returns every invalid field of an inline provider: the value of a Provisioner's spec.provider.
std::vector<FieldError> validate_provider(const boost::json::value& provider);

}  // namespace tenon::legacy
