// Splits the command line of an AWS profile (credential_process) into words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::aws {

// Splits words as Python's shlex does: both kinds of quotes, backslashes; no variables, pipes or substitutions.
// Errors: kInvalid: a quote is not closed, or there is no word.
Result<std::vector<std::string>> split_command(std::string_view command);

}  // namespace tenon::aws
