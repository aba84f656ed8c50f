// `tenon version`: the version; with -o json also the commit, the compiler, the date and the API versions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/options.h"

namespace tenon::cli {

// Returns the API versions that Tenon serves or reads ("karpenter.sh/v1"), sorted: those of the embedded CRDs.
// Errors: an embedded CRD that does not parse, which is a bug of ours.
Result<std::vector<std::string>> api_versions();

// Prints the version. Returns the exit code; an error is on `err`.
int run_version(const VersionOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
