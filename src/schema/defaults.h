// The changes that a schema makes to an object before validation.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/schema/{defaulting,pruning}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema/node.h"

namespace tenon::schema {

void apply_defaults(boost::json::value& v, const Node& node);
// Removes nulls that the schema does not allow and that have no default.
void drop_nulls(boost::json::value& v, const Node& node);
// Removes undeclared fields and returns their paths, sorted. Keeps apiVersion, kind and metadata of the root.
std::vector<std::string> prune(boost::json::value& object, const Node& root);

}  // namespace tenon::schema
