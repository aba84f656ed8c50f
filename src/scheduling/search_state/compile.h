// Compiles a Snapshot into a Problem: the parts of compile/parts.h, then trial launches in a State.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_set>

#include "scheduling/compile/problem.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {

// Compiles a snapshot. `removable`: removal candidates. They exist and their pods run, but the pods that an eviction
// would make pending are in Problem::pods as well, with PodProblem::runs.
Problem compile(const Snapshot& snapshot, const SolveOptions& options,
                std::unordered_set<std::string_view> removable = {});

}  // namespace tenon::scheduling
