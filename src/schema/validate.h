// Validates a value against a schema, without the CEL rules (rules.h).
// validate_lists.cc defines validate_lists().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema/node.h"
#include "schema/schema.h"

namespace tenon::schema {

inline constexpr size_t kMaxCauses = 100;  // of one object and one step of validation

// Validates types and constraints. old: null on create. Unchanged values cause no errors (ratcheting, as since
// Kubernetes 1.30).
// parity: k8s.io/kube-openapi pkg/validation/validate, k8s.io/apiextensions-apiserver pkg/apiserver/validation
std::vector<Cause> validate_values(const boost::json::value& object, const boost::json::value* old, const Node& root);

// Reports duplicate entries in lists with x-kubernetes-list-type set or map.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/schema/listtype
std::vector<Cause> validate_lists(const boost::json::value& object, const Node& root);

// Returns the old value of a list item: the entry with the same keys in a list of type map; null for other lists.
const boost::json::value* old_item(const Node& list, const boost::json::value* old, const boost::json::value& item);

}  // namespace tenon::schema
