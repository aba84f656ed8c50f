// TOML as far as merging Bottlerocket's settings needs it: a document as a list of assignments with their full key
// paths, values kept as written. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::cloud {

struct TomlEntry {
  std::vector<std::string> table;  // of the header above it; empty at the top
  bool array_table = false;        // [[header]]
  std::vector<std::string> key;    // dotted keys are several; empty: the header itself
  std::string value;               // as written, several lines possible
  std::vector<std::string> path() const;
};
// Comments between entries are dropped. Errors: kInvalid: "line 3: …".
Result<std::vector<TomlEntry>> parse_toml(std::string_view text);

// A key as TOML writes it: bare, or single-quoted ("karpenter.sh/nodepool" needs it).
std::string toml_key(std::string_view key);
// 'text', or "…" with escapes if it holds a quote or a control character.
std::string toml_string(std::string_view text);

}  // namespace tenon::cloud
