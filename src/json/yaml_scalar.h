// What an untagged, unquoted YAML scalar means: the YAML 1.1 rules that Kubernetes' own tools apply (booleans y/yes/on,
// octal 0755, 1_000, base 60 and dates are strings). The reader and the writer share it, so that what is written plain
// reads back as the same string.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

namespace tenon::json {

// Whole numbers that fit become integers, also those written as floats (1e3). `infinite` is set for .inf and .nan,
// which JSON cannot hold; the value is the string then.
boost::json::value resolve_yaml_scalar(std::string_view text, bool* infinite);

}  // namespace tenon::json
