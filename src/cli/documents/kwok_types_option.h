// --instance-types-file-path: reads and parses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/instance_type.h"

namespace tenon::cli {

// Returns the types of the file; of an empty path, the default ones. Errors: kInvalid, "--instance-types-file-path
// types.json: [0].offerings[1].price: must be a number".
Result<std::vector<model::InstanceType>> read_kwok_types(const std::string& path);

}  // namespace tenon::cli
