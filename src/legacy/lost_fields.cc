// SPDX-License-Identifier: Apache-2.0
#include "legacy/lost_fields.h"

#include <optional>
#include <utility>
#include <vector>

#include "json/json.h"

namespace tenon::legacy {
namespace {

using json::array;
using json::object;
using json::value;

// A field of the document (`is`) and the same field after a round trip (`was`). std::nullopt: the field is absent.
struct Lost {
  std::vector<std::string> path;
  std::optional<value> was, is;
};

// Adds every field in which the two values differ. A list is one field.
void compare(const value& was, const value& is, std::vector<std::string>& path, std::vector<Lost>& out) {
  if (was == is) return;
  if (!was.is_object() || !is.is_object()) return out.push_back({path, was, is});
  const auto visit = [&](std::string_view key, const value* a, const value* b) {
    path.emplace_back(key);
    if (a != nullptr && b != nullptr) {
      compare(*a, *b, path, out);
    } else {
      out.push_back({path, a ? std::optional(*a) : std::nullopt, b ? std::optional(*b) : std::nullopt});
    }
    path.pop_back();
  };
  for (const auto& [key, item] : was.get_object()) visit(key, &item, is.get_object().if_contains(key));
  for (const auto& [key, item] : is.get_object()) {
    if (!was.get_object().contains(key)) visit(key, nullptr, &item);
  }
}

// Returns false if a field on the path is not an object.
bool set_path(value& root, const std::vector<std::string>& path, const std::optional<value>& is) {
  value* at = &root;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (at->is_null()) *at = object();
    if (!at->is_object()) return false;
    at = &at->get_object()[path[i]];
  }
  if (at->is_null()) *at = object();
  if (!at->is_object() || path.empty()) return false;
  if (is) {
    at->get_object()[path.back()] = *is;
  } else {
    at->get_object().erase(path.back());
  }
  return true;
}

// Returns a part of the document; an empty object if the document does not have it.
value part_of(const value& document, std::initializer_list<std::string_view> path) {
  const value* part = json::find(document, path);
  return part == nullptr ? value(object()) : *part;
}

// Returns whether the annotation may restore this path. A user can write the annotation, so it must not change other
// parts of the object.
bool may_be_lost(const std::vector<std::string>& path) {
  if (path.size() >= 2 && path[0] == "spec") return true;
  return path.size() == 3 && path[0] == "metadata" && path[1] == "annotations";
}

const value* at_path(const value& root, const std::vector<std::string>& path) {
  const value* at = &root;
  for (const std::string& key : path) {
    if (!at->is_object()) return nullptr;
    at = at->get_object().if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::vector<Lost> losses(const value& was, const value& is) {
  std::vector<Lost> out;
  std::vector<std::string> path{"spec"};
  compare(part_of(was, {"spec"}), part_of(is, {"spec"}), path, out);
  path = {"metadata", "annotations"};
  compare(part_of(was, {"metadata", "annotations"}), part_of(is, {"metadata", "annotations"}), path, out);
  return out;
}

void restore(value& document, const std::vector<Lost>& fields) {
  for (const Lost& lost : fields) {
    const value* now = at_path(document, lost.path);
    const bool untouched = now == nullptr ? !lost.was : lost.was && *now == *lost.was;
    if (untouched) set_path(document, lost.path, lost.is);
  }
  if (json::object_at(document, {"metadata", "annotations"}).empty())
    json::erase(document, {"metadata", "annotations"});
}

std::string written(std::string_view version, const std::vector<Lost>& fields) {
  array entries;
  for (const Lost& lost : fields) {
    array path;
    for (const std::string& key : lost.path) path.emplace_back(key);
    object entry{{"path", std::move(path)}};
    if (lost.was) entry["was"] = *lost.was;
    if (lost.is) entry["is"] = *lost.is;
    entries.push_back(std::move(entry));
  }
  return json::to_string(object{{"version", version}, {"fields", std::move(entries)}});
}

std::vector<Lost> read_lost(const std::string& text, std::string_view version) {
  std::vector<Lost> out;
  const auto kept = json::parse(text);
  if (!kept || json::string_at(*kept, {"version"}) != version) return out;
  for (const value& entry : json::array_at(*kept, {"fields"})) {
    Lost lost;
    for (const value& key : json::array_at(entry, {"path"})) {
      if (key.is_string()) lost.path.emplace_back(key.get_string());
    }
    if (!may_be_lost(lost.path)) continue;
    if (const value* was = json::find(entry, {"was"})) lost.was = *was;
    if (const value* is = json::find(entry, {"is"})) lost.is = *is;
    out.push_back(std::move(lost));
  }
  return out;
}

}  // namespace

std::string lost_fields(std::string_view version, const value& round_trip, const value& document) {
  const std::vector<Lost> lost = losses(round_trip, document);
  return lost.empty() ? "" : written(version, lost);
}

void restore_fields(std::string_view version, const std::string& text, value& document) {
  if (!text.empty()) restore(document, read_lost(text, version));
}

}  // namespace tenon::legacy
