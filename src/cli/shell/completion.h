// `tenon completion`: scripts that complete subcommands, options and their values, made from the table of options. They
// are static text: completing a word starts no process. Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenon::cli {

// Returns the script for "bash", "zsh" or "fish". bash and zsh also complete kubectl-tenon.
std::string completion_script(std::string_view shell);

}  // namespace tenon::cli
