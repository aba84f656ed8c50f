// The file of `tenon controller --config`: options by name, without dashes, as one YAML mapping:
//
//   cluster-name: demo
//   node-price: 0.02
//   feature-gates: NodeOverlay=true
//
// Pure, except for read_config_file().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::cli {

inline constexpr size_t kMaxConfigBytes = 1 << 20;

struct ConfigSetting {
  std::string name;   // "cluster-name"
  std::string value;  // as it would be written behind the flag
  size_t line = 0;    // from 1
};

// Returns the settings in the file's order. Names are not checked. Errors: kInvalid, with the line and the key, if the
// text is not one YAML mapping of scalars. An empty text has no settings.
Result<std::vector<ConfigSetting>> parse_config(std::string_view text);

// Reads a file. Errors: those of parse_config(); kInvalid if it cannot be read or has more than kMaxConfigBytes. All of
// them begin with the path.
Result<std::vector<ConfigSetting>> read_config_file(const std::string& path);

}  // namespace tenon::cli
