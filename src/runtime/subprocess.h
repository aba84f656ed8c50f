// Runs a program that prints credentials (credential_process of AWS, exec plugins of a kubeconfig), and returns its
// output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace tenon::runtime {

inline constexpr size_t kMaxProcessOutput = size_t{64} << 10;  // bytes
inline constexpr size_t kMaxQuotedErrors = 300;                // bytes of standard error in an error message
inline constexpr size_t kMaxQuotedWord = 31;                   // a longer word may be a secret

struct Program {
  std::vector<std::string> words;  // a path, or a name that is found in PATH; then the arguments
  // Variables beside those of this process. They override variables of the same name.
  std::vector<std::pair<std::string, std::string>> environment = {};
  // Whether the message of a failure quotes the end of the standard error, in which words longer than kMaxQuotedWord
  // are replaced by "[...]". False: the standard error is discarded, because it may contain secrets.
  bool quotes_errors = false;
};

// Returns the standard output of a program that exits with 0. The program runs without a shell. The program and its
// children are killed at the timeout (wall clock) and on `stop`. Thread rule: any thread; blocks it.
// Errors: kNotFound (there is no such program), kForbidden (cannot be started, exit status, too much output), kTimeout,
// kCancelled; no error quotes the output.
Result<std::string> run_program(const Program& program, Duration timeout, const std::stop_token& stop);

}  // namespace tenon::runtime
