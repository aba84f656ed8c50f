// JSON as one DOM (Boost.JSON), with the helpers that the codecs share. Include it in .cc files; a header that only
// names a value includes <boost/json/fwd.hpp>.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::json {

using boost::json::array;
using boost::json::object;
using boost::json::value;

inline constexpr size_t kMaxDepth = 512;  // CRD schemas nest deeper than the library's default of 32

// Errors: kInvalid, "offset 17: syntax error".
Result<value> parse(std::string_view text);
// Compact; doubles have Go's format (0.096, 5, 1e+21).
std::string to_string(const value& v);
// Two-space indentation, newline at the end.
std::string to_pretty(const value& v);

// Returns the value at a path of object keys, or null if any step is missing: find(pod, {"spec", "nodeName"}).
const value* find(const value& v, std::initializer_list<std::string_view> path);
value* find(value& v, std::initializer_list<std::string_view> path);
// The same for one type, with a default for a missing path or another type.
std::string_view string_at(const value& v, std::initializer_list<std::string_view> path,
                           std::string_view otherwise = {});
int64_t int_at(const value& v, std::initializer_list<std::string_view> path, int64_t otherwise = 0);
bool bool_at(const value& v, std::initializer_list<std::string_view> path, bool otherwise = false);
const object& object_at(const value& v, std::initializer_list<std::string_view> path);  // empty if missing
const array& array_at(const value& v, std::initializer_list<std::string_view> path);    // empty if missing
// Creates the objects along the path and returns the slot. CHECKs that existing values along the path are objects or
// null.
value& ensure(value& v, std::initializer_list<std::string_view> path);
// Removes the last key of the path if it exists.
void erase(value& v, std::initializer_list<std::string_view> path);

}  // namespace tenon::json
