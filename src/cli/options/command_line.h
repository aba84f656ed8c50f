// Reads the command line and the environment by the table of options: a flag counts before its environment variable,
// the variable before the file of --config, the file before the default. Variables are read for the parsed subcommand
// only; an empty variable counts as unset.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>

#include "cli/options/row.h"

namespace tenon::cli {

// Sets `line`. Returns std::nullopt if a subcommand is to run; otherwise the exit code: kExitDone after --help, whose
// text is on `out`; kExitUsage after an error, whose text is on `err`. Reads the process's environment: not while
// another thread changes it.
std::optional<int> parse_command_line(int argc, const char* const* argv, CommandLine& line, std::ostream& out,
                                      std::ostream& err);

}  // namespace tenon::cli
