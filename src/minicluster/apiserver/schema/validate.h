// Checks a value against a schema; the CEL rules are in rules.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "minicluster/apiserver/schema/node.h"
#include "minicluster/apiserver/schema/schema.h"

namespace tenon::minicluster::schema {

inline constexpr size_t kMaxCauses = 100;  // kept of one object; more would only be noise

// old: null if there is none. What did not change is not held against an update (ratcheting, as since Kubernetes 1.30).
// parity: k8s.io/kube-openapi pkg/validation/validate, k8s.io/apiextensions-apiserver pkg/apiserver/validation
std::vector<Cause> validate_values(const boost::json::value& object, const boost::json::value* old, const Node& root);

// Lists with x-kubernetes-list-type set or map whose entries are not unique.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/schema/listtype
std::vector<Cause> validate_lists(const boost::json::value& object, const Node& root);

// The old value of a list's item: of the entry with the same keys, for a list of type map; else null.
const boost::json::value* old_item(const Node& list, const boost::json::value* old, const boost::json::value& item);

}  // namespace tenon::minicluster::schema
