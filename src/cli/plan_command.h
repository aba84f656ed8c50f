// `tenon plan`: the decision on manifests from disk, printed. The same functions as the controller's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/decisions.h"
#include "cli/plan_output.h"

namespace tenon::cli {

struct PlanOptions : DecisionSettings {
  std::vector<std::string> files;   // "-": standard input
  std::string catalog;              // empty: the built-in one
  std::string mode = "provision";   // or disrupt
  std::string now;                  // RFC 3339; empty: the file's, else the wall clock
  std::string output = "table";     // json, yaml
  std::string after_edit;           // manifests that replace those of the same name; empty: no edit
  std::string scheduler_config;     // default topology spread; empty: none
  std::string price_file;           // discounts and commitments; empty: none
  bool ignore_dra_requests = true;  // false: pods with resource claims are told that devices are not allocated
  bool stats = false;               // times and steps on standard error
};

// A decision and what it was made with.
struct Decision {
  PlanResult result;
  scheduling::SolveOptions solve;
  Duration reading{}, deciding{};  // wall time
};

// Reads and decides; the plan has passed scheduling::check_solution(). Warnings about the input go to `err`.
// Errors: kInvalid: the input; kInternal: a plan that does not hold.
Result<Decision> decide_plan(const PlanOptions& options, std::ostream& err);

// Prints it. 0 done; 1 bad input or a failed check (the message is on `err`); 3 provision mode, and some pod cannot be
// placed.
int run_plan(const PlanOptions& options, std::ostream& out, std::ostream& err);

// The plan of provision mode with every reason that can be given, whatever mode and output say. Warnings go to `err`.
// Errors: bad input, or a plan that fails its check.
Result<PlanResult> explained_plan(const PlanOptions& options, std::ostream& err);

}  // namespace tenon::cli
