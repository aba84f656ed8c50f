// TOML as JSON values: what Bottlerocket's user data is read into and written from. Pure.
//
//   json::object document = TRY(parse_toml("[settings.kubernetes]\nmax-pods = 29\n"));
//   render_toml(document);  // the same text
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::cloud {

inline constexpr size_t kMaxTomlBytes = 32 * 1024;  // EC2 takes 16 KiB of user data; comments do not reach it
inline constexpr int kMaxTomlDepth = 64;            // of tables and arrays in each other

// TOML 1.0 without what JSON cannot hold, since Bottlerocket keeps its settings as JSON: dates, times, inf and nan.
// Tables are sorted by key. Errors: kInvalid, "line 3: …" or "settings.x: …".
Result<boost::json::object> parse_toml(std::string_view text);

// Values first, then tables under headers, each in the order of the object. Without null.
std::string render_toml(const boost::json::object& document);

// A key as TOML writes it: bare, or quoted ("karpenter.sh/nodepool" needs it).
std::string toml_key(std::string_view key);
// 'text', or "…" with escapes if it holds a quote or a control character.
std::string toml_string(std::string_view text);

}  // namespace tenon::cloud
