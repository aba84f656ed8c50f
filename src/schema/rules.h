// The x-kubernetes-validations of a schema.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema/node.h"
#include "schema/schema.h"

namespace tenon::schema {

// Evaluates the rules. old: null on create; rules over oldSelf are then skipped, unless they have optionalOldSelf.
// old_held: `old` has passed these rules, so that only the rules over oldSelf are evaluated on unchanged values.
std::vector<Cause> validate_rules(const boost::json::value& object, const boost::json::value* old, bool old_held,
                                  const Node& root);

}  // namespace tenon::schema
