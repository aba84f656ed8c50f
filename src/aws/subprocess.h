// Runs a command from the user's configuration and returns its output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace tenon::aws {

inline constexpr size_t kMaxProcessOutput = size_t{64} << 10;  // bytes

// Splits words as Python's shlex does: both kinds of quotes, backslashes; no variables, pipes or substitutions.
// Errors: kInvalid: a quote is not closed, or there is no word.
Result<std::vector<std::string>> split_command(std::string_view command);

// Returns the standard output of a program that exits with 0. The program is found in PATH and runs without a shell.
// Its standard error is discarded, because it may contain secrets. The program and its children are killed at the
// timeout (wall clock) and on `stop`. Thread rule: any thread; blocks it.
// Errors: kForbidden (cannot be started, exit status, too much output), kTimeout, kCancelled; no error quotes the
// output.
Result<std::string> run_program(const std::vector<std::string>& words, Duration timeout, const std::stop_token& stop);

}  // namespace tenon::aws
