// `tenon validate`: what an API server, a webhook or the controller would say about manifests, before they are applied,
// with file and line; and warnings about common mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cli/options/options.h"

namespace tenon::cli {

// Prints a line for each finding on `out`: "pool.yaml:12: error: NodePool/default: spec.weight: …". Returns 0: no
// errors (warnings are allowed); 1: errors, or a file that cannot be read.
int run_validate(const ValidateOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
