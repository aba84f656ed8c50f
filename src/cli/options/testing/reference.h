// The reference page of all options, docs/reference/cli.md, as the table of options gives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::cli::testing {

// Returns the page as Markdown: a section for each subcommand with a table for each group, then the ignored options.
std::string reference_page();

}  // namespace tenon::cli::testing
