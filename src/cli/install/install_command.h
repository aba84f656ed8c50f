// `tenon install WHAT --set KEY=VALUE…`: prints what an installation needs, for kubectl, aws iam and CloudFormation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cli/options/options.h"

namespace tenon::cli {

// Prints one part (parts.h) on `out`. Returns 0: printed; 2: an unknown part, document or key, or an invalid value.
// Then `err` names it and lists the known ones, and nothing is printed on `out`.
int run_install(const InstallOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
