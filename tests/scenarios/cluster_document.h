// A scenario's document of kind Cluster (expectation.h) as the Nodes, NodeClaims and Pods that it stands for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.h"

namespace tenon::scenarios {

// Adds them to `out`; `catalog` is the file that says what each instance type has. Errors: kInvalid: a type or a field
// that is not known.
Status expand_cluster(const boost::json::value& cluster, const std::string& catalog, boost::json::array& out);

}  // namespace tenon::scenarios
