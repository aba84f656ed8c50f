// Runs a command of the user's configuration and reads what it prints.
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

// Words as Python's shlex splits them: quotes of both kinds, backslashes; no variables, pipes or substitutions.
// Errors: kInvalid: a quote is not closed, or there is no word.
Result<std::vector<std::string>> split_command(std::string_view command);

// The standard output of a program that ended with 0; it is found in PATH and no shell is involved. Its standard error
// is discarded: it may hold secrets. The program and its children are killed at the time-out (of the wall clock) and on
// `stop`. Thread rule: any thread; blocks it.
// Errors: kForbidden (cannot be started, exit status, too much output), kTimeout, kCancelled; none quotes its output.
Result<std::string> run_program(const std::vector<std::string>& words, Duration timeout, const std::stop_token& stop);

}  // namespace tenon::aws
