// SPDX-License-Identifier: Apache-2.0
#include "legacy/findings.h"

namespace tenon::legacy {

std::string to_string(const FieldError& error) {
  return error.message + ": " + error.path + (error.details.empty() ? "" : "\n" + error.details);
}

}  // namespace tenon::legacy
