// What a schema does to an object before it is checked.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/schema/{defaulting,pruning}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "minicluster/apiserver/schema/node.h"

namespace tenon::minicluster::schema {

void apply_defaults(boost::json::value& v, const Node& node);
// Nulls that the schema does not allow and that have no default go away.
void drop_nulls(boost::json::value& v, const Node& node);
// Paths of the fields removed, sorted. The root's apiVersion, kind and metadata stay.
std::vector<std::string> prune(boost::json::value& object, const Node& root);

}  // namespace tenon::minicluster::schema
