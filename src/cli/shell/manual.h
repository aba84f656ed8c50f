// `tenon man`: the manual pages, made from the table of options: tenon.1 and one for each subcommand, tenon-plan.1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/options.h"

namespace tenon::cli {

// Returns (file name, page in man's macros) of all pages, tenon.1 first. The pages carry no date.
std::vector<std::pair<std::string, std::string>> manual_pages();

// Writes the pages to an existing folder. Returns the exit code; an error, with the file, is on `err`.
int run_man(const ManOptions& options, std::ostream& err);

}  // namespace tenon::cli
