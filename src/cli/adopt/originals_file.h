// The roll-back file of `tenon adopt --apply`: the objects that it changes, as they were.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adopt/observed.h"
#include "migrate/write.h"

namespace tenon::cli {

// Returns the objects of the file; none if there is no file. Errors: kInvalid, it cannot be read, is no such file, or
// is of another cluster.
Result<adopt::Documents> read_originals_file(const std::string& path, const std::string& cluster);
// Returns `earlier` with the objects of `added` that it does not have.
adopt::Documents add_originals(const adopt::Documents& added, adopt::Documents earlier);
// Errors: kInvalid, with path and cause.
Status write_originals_file(const std::string& path, const std::string& cluster, const adopt::Documents& originals);
// Returns the writes that restore what is missing or changed in the cluster.
std::vector<migrate::Write> restoring_writes(const adopt::Documents& originals, const adopt::Observed& observed);

}  // namespace tenon::cli
