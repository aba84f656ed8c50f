// `tenon convert`: the objects of Karpenter's earlier APIs as v1, on standard output; on standard error a line for each
// field that has no counterpart. With --in-cluster: in_cluster.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cli/options/options.h"

namespace tenon::cli {

// Returns 0: converted; 1: a file that cannot be read, or an invalid object (then nothing is printed on `out`); 2: the
// options contradict each other.
int run_convert(const ConvertOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
