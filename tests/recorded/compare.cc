// SPDX-License-Identifier: Apache-2.0
#include "recorded/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "json/json.h"

namespace tenon::recorded {
namespace {

using json::array;
using json::object;
using json::value;

const std::regex kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
const std::regex kVersion("[0-9]+");
const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
const std::regex kAge(R"((\d+[ydhms])+( ago)?)");
const std::regex kAddress(R"([0-9a-z.]+(:\d+)?)");

bool both(const std::string& a, const std::string& b, const std::regex& form) {
  return std::regex_match(a, form) && std::regex_match(b, form);
}

// Returns the member that identifies the items of a list, if all of them have it and no two have the same value.
std::optional<std::string_view> key_of(const array& list) {
  for (std::string_view key : {"name", "resource", "subresource", "type"}) {
    std::set<std::string_view> values;
    const bool distinct = std::all_of(list.begin(), list.end(), [&](const value& item) {
      const std::string_view text = json::string_at(item, {key});
      return !text.empty() && values.insert(text).second;
    });
    if (distinct && !list.empty()) return key;
  }
  return std::nullopt;
}

class Comparison {
 public:
  explicit Comparison(Names& names) : names_(names) {}

  void any(const std::string& at, const value& recorded, const value& seen) {
    if (recorded.is_object() && seen.is_object()) return objects(at, recorded.get_object(), seen.get_object());
    if (recorded.is_array() && seen.is_array()) return arrays(at, recorded.get_array(), seen.get_array());
    if (recorded.is_string() && seen.is_string() && texts(at, recorded, seen)) return;
    if (recorded != seen) differ(at, &recorded, &seen);
  }

  std::vector<Difference> take() { return std::move(found_); }

 private:
  void objects(const std::string& at, const object& recorded, const object& seen) {
    const auto prefix = [&](std::string_view key) {
      return at.empty() ? std::string(key) : fmt::format("{}.{}", at, key);
    };
    for (const auto& member : recorded) {
      const value* other = seen.if_contains(member.key());
      if (other == nullptr)
        differ(prefix(member.key()), &member.value(), nullptr);
      else if (member.key() == "name" && generated(recorded, seen))
        continue;
      else
        any(prefix(member.key()), member.value(), *other);
    }
    for (const auto& member : seen) {
      if (!recorded.contains(member.key())) differ(prefix(member.key()), nullptr, &member.value());
    }
  }

  // A name that each server generated from the same prefix.
  bool generated(const object& recorded, const object& seen) {
    const value* beginning = recorded.if_contains("generateName");
    const value* name = recorded.if_contains("name");
    const value* other = seen.if_contains("name");
    if (beginning == nullptr || !beginning->is_string() || !name->is_string() || !other->is_string()) return false;
    return name->get_string().starts_with(beginning->get_string()) &&
           other->get_string().starts_with(beginning->get_string()) &&
           name->get_string().size() == other->get_string().size() &&
           names_.pair(name->get_string(), other->get_string());
  }

  void arrays(const std::string& at, const array& recorded, const array& seen) {
    const auto key = key_of(recorded);
    if (!key || key_of(seen) != key) return arrays_in_order(at, recorded, seen);
    // Members that both have are compared by name, their order too.
    std::vector<const value*> common, order;
    for (const value& item : recorded) {
      const std::string_view name = json::string_at(item, {*key});
      const auto match = std::find_if(seen.begin(), seen.end(),
                                      [&](const value& other) { return json::string_at(other, {*key}) == name; });
      if (match == seen.end()) {
        differ(fmt::format("{}[{}]", at, name), &item, nullptr);
      } else {
        any(fmt::format("{}[{}]", at, name), item, *match);
        common.push_back(&*match);
      }
    }
    for (const value& item : seen) {
      if (std::find(common.begin(), common.end(), &item) != common.end()) {
        order.push_back(&item);
      } else {
        differ(fmt::format("{}[{}]", at, json::string_at(item, {*key})), nullptr, &item);
      }
    }
    if (common != order) found_.push_back({at, "another order", "this order"});
  }

  void arrays_in_order(const std::string& at, const array& recorded, const array& seen) {
    for (size_t i = 0; i < std::max(recorded.size(), seen.size()); ++i) {
      const std::string here = fmt::format("{}[{}]", at, i);
      if (i >= seen.size())
        differ(here, &recorded[i], nullptr);
      else if (i >= recorded.size())
        differ(here, nullptr, &seen[i]);
      else
        any(here, recorded[i], seen[i]);
    }
  }

  // True: nothing more is reported about them.
  bool texts(const std::string& at, const value& recorded_value, const value& seen_value) {
    const std::string recorded(recorded_value.get_string());
    const std::string seen(seen_value.get_string());
    const size_t dot = at.rfind('.');
    const std::string_view field = std::string_view(at).substr(dot == std::string::npos ? 0 : dot + 1);
    if (field == "resourceVersion" && both(recorded, seen, kVersion)) {
      const bool of_list = at == "metadata.resourceVersion" && in_list_;
      if (!names_.pair_version(recorded, seen, of_list)) differ(at, &recorded_value, &seen_value);
      return true;
    }
    if (both(recorded, seen, kUid)) {
      if (!names_.pair(recorded, seen)) differ(at, &recorded_value, &seen_value);
      return true;
    }
    if (field == "continue" && !recorded.empty() && !seen.empty()) return names_.pair(recorded, seen);
    if (field == "serverAddress") return both(recorded, seen, kAddress);
    if (both(recorded, seen, kTime) && !names_.was_sent(recorded)) return recorded.size() == seen.size();
    // Ages depend on the duration of the recording.
    if (at.find("cells[") != std::string::npos && both(recorded, seen, kAge)) return true;
    return names_.translate(recorded) == seen;
  }

  void differ(const std::string& at, const value* recorded, const value* seen) {
    const auto text = [](const value* v) { return v == nullptr ? std::string("nothing") : json::to_string(*v); };
    found_.push_back({at, text(recorded), text(seen)});
  }

 public:
  bool in_list_ = false;

 private:
  Names& names_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> compare(const value& recorded, const value& seen, Names& names) {
  Comparison comparison(names);
  const std::string_view kind = json::string_at(recorded, {"kind"});
  comparison.in_list_ = kind.ends_with("List") || kind == "Table";
  comparison.any("", recorded, seen);
  return comparison.take();
}

value reduced(const value& document) {
  if (document.is_array()) {
    array result;
    for (const value& item : document.get_array()) result.push_back(reduced(item));
    return result;
  }
  if (!document.is_object()) return document;
  object result;
  for (const auto& member : document.get_object()) {
    if (member.key() == "managedFields" || member.key() == "storageVersionHash") continue;
    result[member.key()] = reduced(member.value());
  }
  if (value* columns = result.if_contains("columnDefinitions"); columns != nullptr && columns->is_array()) {
    for (value& column : columns->get_array()) json::erase(column, {"description"});
  }
  return result;
}

}  // namespace tenon::recorded
