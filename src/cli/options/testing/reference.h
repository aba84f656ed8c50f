// The reference page of all options, docs/reference/cli.md, as the table of options gives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/row.h"

namespace tenon::cli::testing {

// Returns the page as Markdown: a section for each subcommand with a table for each group, then the ignored options.
std::string reference_page();
// Returns the default of an option of a subcommand as the page shows it; empty if there is none.
std::string default_text(const Row& row, Command command);

}  // namespace tenon::cli::testing
