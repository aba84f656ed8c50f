// Letters and digits of ASCII, whatever the locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::json {

inline bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace tenon::json
