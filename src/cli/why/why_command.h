// `tenon why`: the reasons for one pod or one node of the plan that `tenon plan` would make; for an existing node, what
// keeps or removes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cli/options/options.h"

namespace tenon::cli {

// Returns 0: done; 1: invalid input or no such pod or node (the message is on `err`); 2: the subject is neither a pod
// nor a node.
int run_why(const WhyOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
