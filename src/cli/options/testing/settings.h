// The reference page of the controller's settings, docs/reference/settings.md, as the table of options gives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::cli::testing {

// Returns the page as Markdown: a row for each setting with every place that it can be set in.
std::string settings_page();

}  // namespace tenon::cli::testing
