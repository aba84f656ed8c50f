// The x-kubernetes-validations of a schema.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "minicluster/apiserver/schema/node.h"
#include "minicluster/apiserver/schema/schema.h"

namespace tenon::minicluster::schema {

// old: null on create; rules that mention oldSelf are then skipped, unless they say optionalOldSelf. old_held: `old`
// came through these very rules, so that what did not change since is asked only those over oldSelf.
std::vector<Cause> validate_rules(const boost::json::value& object, const boost::json::value* old, bool old_held,
                                  const Node& root);

}  // namespace tenon::minicluster::schema
