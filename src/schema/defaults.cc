// SPDX-License-Identifier: Apache-2.0
#include "schema/defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"

namespace tenon::schema {
namespace {

bool bad_null(const json::value& v, const Node& node) { return v.is_null() && !node.nullable; }
bool is_meta(std::string_view key) { return key == "apiVersion" || key == "kind" || key == "metadata"; }

class Pruner {
 public:
  struct How {
    bool resource = false;  // keep apiVersion, kind and metadata
    bool keep = false;      // keep undeclared fields: an item of a list that preserves them
  };

  // node: null if the schema does not declare the value.
  void prune(json::value& v, const Node* node, const std::string& path, How how) {
    const bool keep = how.keep || (node && node->preserve_unknown);
    if (v.is_array()) {
      const Node* items = node ? node->items.get() : nullptr;
      if (keep && !items) return;
      size_t i = 0;
      for (json::value& item : v.get_array()) prune(item, items, fmt::format("{}[{}]", path, i++), {.keep = keep});
    }
    if (!v.is_object()) return;
    std::vector<std::string> unknown;
    for (auto& member : v.get_object()) {
      const std::string_view key = member.key();
      if ((how.resource || (node && node->embedded)) && is_meta(key)) continue;
      const std::string below = path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
      const Node* next = node ? child(*node, key) : nullptr;
      if (next || (node && node->any_additional)) {
        prune(member.value(), next, below, {});
      } else if (!keep) {
        unknown.emplace_back(key);
        removed.push_back(below);
      }
    }
    for (const std::string& key : unknown) v.get_object().erase(key);
  }

  std::vector<std::string> removed;
};

}  // namespace

void apply_defaults(json::value& v, const Node& node) {
  if (v.is_object()) {
    json::object& members = v.get_object();
    for (const auto& [name, property] : node.properties) {
      if (!property->default_value) continue;
      const json::value* found = members.if_contains(name);
      if (!found || bad_null(*found, *property)) members[name] = *property->default_value;
    }
    for (auto& member : members) {
      const Node* next = child(node, member.key());
      if (!next) continue;
      if (bad_null(member.value(), *next) && next->default_value) member.value() = *next->default_value;
      apply_defaults(member.value(), *next);
    }
  } else if (v.is_array() && node.items) {
    for (json::value& item : v.get_array()) {
      if (bad_null(item, *node.items) && node.items->default_value) item = *node.items->default_value;
      apply_defaults(item, *node.items);
    }
  }
}

void drop_nulls(json::value& v, const Node& node) {
  if (v.is_array() && node.items) {
    for (json::value& item : v.get_array()) drop_nulls(item, *node.items);
  }
  if (!v.is_object()) return;
  std::vector<std::string> nulls;
  for (auto& member : v.get_object()) {
    const Node* next = child(node, member.key());
    if (!next) continue;
    if (bad_null(member.value(), *next) && !next->default_value) {
      nulls.emplace_back(member.key());
    } else {
      drop_nulls(member.value(), *next);
    }
  }
  for (const std::string& key : nulls) v.get_object().erase(key);
}

std::vector<std::string> prune(json::value& object, const Node& root) {
  Pruner pruner;
  pruner.prune(object, &root, "", {.resource = true});
  std::sort(pruner.removed.begin(), pruner.removed.end());
  return std::move(pruner.removed);
}

}  // namespace tenon::schema
