// The options of a write, from its query.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tenon::kubesim::apiserver {

enum class FieldValidation { kIgnore, kWarn, kStrict };

struct WriteContext {
  std::string manager = {};  // empty: managedFields stay unchanged
  bool dry_run = false;
  FieldValidation validation = FieldValidation::kIgnore;
  std::vector<std::string>* warnings = nullptr;  // for the Warning headers; may be null
};

}  // namespace tenon::kubesim::apiserver
