// Small text helpers that the standard library of C++20 lacks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// split("a,b,,c", ',') is {"a", "b", "", "c"}; split("", ',') is {""}. The views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
// Cuts at the first separator: cut("a=b=c", '=') is {"a", "b=c"}. Without a separator, second is empty.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
// Returns "1 pod", "2 pods".
std::string counted(int64_t number, std::string_view noun);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
// Encodes by RFC 3986: each byte that is not an unreserved character becomes %XX (upper case).
std::string percent_encode(std::string_view text);
// Decodes %XX; '+' stays '+'. Invalid escapes are kept as they are.
std::string percent_decode(std::string_view text);
std::string base64_encode(std::string_view bytes);
// Skips whitespace. If `text` is not base64, clears `out` and returns false.
bool base64_decode(std::string_view text, std::string& out);

}  // namespace tenon
