// What `tenon validate` reports about a document. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tenon::cli {

struct Finding {
  enum class Kind { kError, kWarning, kNote };  // an error: an API server, a webhook or the controller refuses it
  Kind kind = Kind::kError;
  std::string path;  // "spec.requirements[0].values"; empty: the whole document
  std::string text;
};
using Findings = std::vector<Finding>;

}  // namespace tenon::cli
