// Converts a scenario's document of kind Cluster (expectation.h) to its Nodes, NodeClaims and Pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.h"

namespace tenon::scenarios {

// Adds them to `out`; `catalog` is the file with the capacity of each instance type. Errors: kInvalid: an unknown type
// or field.
Status expand_cluster(const boost::json::value& cluster, const std::string& catalog, boost::json::array& out);

}  // namespace tenon::scenarios
