// Small text helpers that the standard library of C++20 lacks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// split("a,b,,c", ',') is {"a", "b", "", "c"}; split("", ',') is {""}. The views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
// Cut at the first separator: {"a", "b=c"} for ("a=b=c", '='); second is empty if there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
// RFC 3986: everything but unreserved characters becomes %XX (upper case).
std::string percent_encode(std::string_view text);
// Undoes it; '+' stays '+'. Bad escapes are kept as they are.
std::string percent_decode(std::string_view text);
std::string base64_encode(std::string_view bytes);
// Empty result and false if `text` is not base64 (whitespace is skipped).
bool base64_decode(std::string_view text, std::string& out);

}  // namespace tenon
