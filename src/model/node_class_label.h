// The label of NodeClaims and Nodes whose value is the name of their node class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/text.h"
#include "model/node_pool.h"

namespace tenon::model {

// "karpenter.k8s.aws/ec2nodeclass". parity: karpenter pkg/apis/v1/labels.go NodeClassLabelKey
inline std::string node_class_label(const NodeClassRef& ref) { return ref.group + "/" + to_lower(ref.kind); }

}  // namespace tenon::model
