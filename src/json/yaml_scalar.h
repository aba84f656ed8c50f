// Resolves an untagged, unquoted YAML scalar by the YAML 1.1 rules of Kubernetes' own tools (booleans y/yes/on, octal
// 0755, 1_000; base 60 and dates are strings). Shared by the reader and the writer, so that a string that is written
// plain reads back as the same string.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

namespace tenon::json {

// Whole numbers that fit become integers, including floats (1e3). Sets `infinite` for .inf and .nan, which JSON cannot
// represent; the value is then the string.
boost::json::value resolve_yaml_scalar(std::string_view text, bool* infinite);

}  // namespace tenon::json
