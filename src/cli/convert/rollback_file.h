// The roll-back file on disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace tenon::cli {

// Returns the text of the file; std::nullopt: there is no such file. Errors: kInvalid, it cannot be read.
Result<std::optional<std::string>> read_rollback_file(const std::string& path);
// Writes the file so that a crash leaves the earlier one or the new one, complete and on disk. Only its owner may read
// it: user data in it may hold secrets. Errors: kInvalid, with path and cause.
Status write_rollback_file(const std::string& path, const std::string& text);

}  // namespace tenon::cli
