// The rules for help texts: a complete noun phrase or an imperative, short enough for one line of a terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenon::cli::testing {

inline constexpr size_t kMaxHelp = 110;  // columns

// Returns what is wrong with a help text; empty: nothing. It has at least two words, begins with a capital letter and
// not with a word that points to something before it or asks a question ("of", "its", "the same", "where"), has no full
// stop at its end, is one line, and has at most kMaxHelp columns.
std::string help_problem(std::string_view help);

}  // namespace tenon::cli::testing
