// Unique entries in lists of type set and map.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "json/equal.h"
#include "json/json.h"
#include "schema/causes.h"
#include "schema/validate.h"

namespace tenon::schema {
namespace {

// Returns the keys of an entry of a list of type map, in the form of an API server's messages; {} if it has no keys.
json::value keys_of(const json::value& item, const Node& list) {
  json::object out;
  if (!item.is_object()) return out;
  for (const std::string& key : list.list_keys)
    if (const json::value* found = item.get_object().if_contains(key)) out[key] = *found;
  return out;
}

// Whether keys_of() is equal for both entries.
bool same_keys(const json::value& a, const json::value& b, const Node& list) {
  if (!a.is_object() || !b.is_object()) return json::equal(keys_of(a, list), keys_of(b, list));
  return std::all_of(list.list_keys.begin(), list.list_keys.end(), [&](const std::string& key) {
    const json::value *x = a.get_object().if_contains(key), *y = b.get_object().if_contains(key);
    return x && y ? json::equal(*x, *y) : x == y;
  });
}

// The path of a value. Only errors need its text.
struct Way {
  const Way* above = nullptr;  // null: the root
  std::string_view key = {};
  size_t index = 0;
  enum class Step { kProperty, kKey, kIndex } step = Step::kProperty;

  std::string text() const {
    if (!above) return "";
    const std::string path = above->text();
    if (step == Step::kIndex) return fmt::format("{}[{}]", path, index);
    return step == Step::kKey ? fmt::format("{}[{}]", path, key)
                              : fmt::format("{}{}{}", path, path.empty() ? "" : ".", key);
  }
  Way item(size_t i) const { return {this, {}, i, Step::kIndex}; }
};

void check_unique(const json::array& items, const Node& node, const Way& way, std::vector<Cause>& out) {
  const bool map = node.list_kind == cel::List::Kind::kMap;
  for (size_t i = 0; map && i < items.size(); ++i) {
    if (items[i].is_object() || items[i].is_null()) continue;
    out.push_back(invalid(way.item(i).text(), items[i], "must be an object for an array of list-type map"));
    return;
  }
  const auto same = [&](const json::value& a, const json::value& b) {
    return map ? same_keys(a, b, node) : json::equal(a, b);
  };
  // Only the second one of several equal entries is reported.
  for (size_t i = 1; i < items.size(); ++i) {
    const auto equals =
        std::count_if(items.begin(), items.begin() + i, [&](const auto& v) { return same(v, items[i]); });
    if (equals != 1 || out.size() >= kMaxCauses) continue;
    out.push_back(duplicate(way.item(i).text(), map ? keys_of(items[i], node) : items[i]));
  }
}

void check_lists(const json::value& v, const Node& node, const Way& way, std::vector<Cause>& out) {
  if (v.is_array()) {
    const json::array& items = v.get_array();
    if (node.list_kind != cel::List::Kind::kAtomic) check_unique(items, node, way, out);
    for (size_t i = 0; node.items && i < items.size(); ++i) check_lists(items[i], *node.items, way.item(i), out);
  } else if (v.is_object()) {
    for (const auto& member : v.get_object()) {
      const Node* next = child(node, member.key());
      if (!next) continue;
      const auto step = node.properties.contains(member.key()) ? Way::Step::kProperty : Way::Step::kKey;
      check_lists(member.value(), *next, {&way, member.key(), 0, step}, out);
    }
  }
}

}  // namespace

const json::value* old_item(const Node& list, const json::value* old, const json::value& item) {
  if (list.list_kind != cel::List::Kind::kMap || !old || !old->is_array() || !item.is_object()) return nullptr;
  const auto has = [&](const std::string& key) { return item.get_object().contains(key); };
  if (!std::all_of(list.list_keys.begin(), list.list_keys.end(), has)) return nullptr;
  for (const json::value& each : old->get_array())
    if (each.is_object() && same_keys(each, item, list)) return &each;
  return nullptr;
}

std::vector<Cause> validate_lists(const json::value& object, const Node& root) {
  std::vector<Cause> out;
  check_lists(object, root, {}, out);
  return out;
}

}  // namespace tenon::schema
