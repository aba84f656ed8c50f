// The label of NodeClaims and Nodes whose value is the name of their node class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/text.h"
#include "model/node_pool.h"

namespace tenon::model {

// "karpenter.k8s.aws/ec2nodeclass"; empty without a reference, and for an inline provider, which is no object of its
// own. parity: karpenter pkg/apis/v1/labels.go NodeClassLabelKey
inline std::string node_class_label(const NodeClassRef& ref) {
  return ref.kind.empty() || ref.is_inline() ? std::string() : ref.group + "/" + to_lower(ref.kind);
}

// Adds the label with the name of the class, if the class has one.
inline void add_node_class_label(const NodeClassRef& ref, StringMap& labels) {
  const std::string key = node_class_label(ref);
  if (!key.empty() && !ref.name.empty()) labels[key] = ref.name;
}

}  // namespace tenon::model
