// `tenon plan`: makes and prints the decision for manifests from disk, with the same functions as the controller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "base/instant.h"
#include "base/result.h"
#include "cli/options/options.h"
#include "cli/plan/plan_output.h"
#include "scheduling/input/solve_options.h"

namespace tenon::cli {

// A decision and its options.
struct Decision {
  PlanResult result;
  scheduling::SolveOptions solve;
  Duration reading{}, deciding{};  // wall time
};

// Reads the input and decides; a plan of provision mode has passed scheduling::check_solution(). Warnings about the
// input are written to `err`. Errors: kInvalid: the input; kInternal: a plan that fails the check.
Result<Decision> decide_plan(const PlanOptions& options, std::ostream& err);

// Prints the decision. Returns 0: done; 1: invalid input or a failed check (the message is on `err`); 3: provision mode
// with unschedulable pods.
int run_plan(const PlanOptions& options, std::ostream& out, std::ostream& err);

// Returns the plan of provision mode with all possible reasons, regardless of mode and output. Warnings are written to
// `err`. Errors: invalid input, or a plan that fails its check.
Result<PlanResult> explained_plan(const PlanOptions& options, std::ostream& err);

}  // namespace tenon::cli
