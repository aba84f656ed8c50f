// SPDX-License-Identifier: Apache-2.0
#include "json/equal.h"

#include <algorithm>

#include "json/json.h"

namespace tenon::json {

bool equal(const value& a, const value& b) {
  if (a.is_object() && b.is_object()) return equal(a.get_object(), b.get_object());
  if (a.is_array() && b.is_array()) return equal(a.get_array(), b.get_array());
  return a == b;
}

bool equal(const array& a, const array& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const value& x, const value& y) { return equal(x, y); });
}

bool equal(const object& a, const object& b) {
  if (a.size() != b.size()) return false;
  auto likely = b.begin();  // copies have their members in the same order
  for (const auto& member : a) {
    const value* other = likely->key() == member.key() ? &likely->value() : b.if_contains(member.key());
    ++likely;
    if (other == nullptr || !equal(member.value(), *other)) return false;
  }
  return true;
}

}  // namespace tenon::json
