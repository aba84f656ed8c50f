// Parses and renders TOML as JSON values, for Bottlerocket's user data. Pure.
//
//   json::object document = TRY(parse_toml("[settings.kubernetes]\nmax-pods = 29\n"));
//   render_toml(document);  // the same text
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::cloud {

inline constexpr size_t kMaxTomlBytes = 32 * 1024;  // EC2 accepts 16 KiB of user data; comments are dropped before
inline constexpr int kMaxTomlDepth = 64;            // of nested tables and arrays

// Parses TOML 1.0, without values that JSON lacks (dates, times, inf and nan), since Bottlerocket stores its settings
// as JSON. Tables are sorted by key. Errors: kInvalid, "line 3: …" or "settings.x: …".
Result<boost::json::object> parse_toml(std::string_view text);

// Renders values first, then tables under headers, each in the order of the object. The document must not contain null.
std::string render_toml(const boost::json::object& document);

// Returns the key in TOML syntax: bare, or quoted ("karpenter.sh/nodepool" must be quoted).
std::string toml_key(std::string_view key);
// Returns 'text', or "…" with escapes if the text contains a single quote or a control character.
std::string toml_string(std::string_view text);

}  // namespace tenon::cloud
