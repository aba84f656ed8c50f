// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/merge_patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetain = "$retainKeys";
constexpr std::string_view kOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";

bool is_directive(std::string_view key) {
  return key == kPatch || key == kRetain || key.starts_with(kOrder) || key.starts_with(kDeleteFrom);
}

// Returns the patch without its directives: the value of a new field.
value without_directives(const value& patch) {
  if (const object* members = patch.if_object()) {
    object kept;
    for (const auto& member : *members) {
      if (!is_directive(member.key()) && !member.value().is_null())
        kept[member.key()] = without_directives(member.value());
    }
    return kept;
  }
  if (const array* items = patch.if_array()) {
    array kept;
    for (const value& item : *items) {
      if (json::string_at(item, {kPatch}) != "delete") kept.push_back(without_directives(item));
    }
    return kept;
  }
  return patch;
}

ptrdiff_t position_of(const array& items, const std::string& key, const value& wanted) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const value& item) {
    const value* at = item.is_object() ? item.get_object().if_contains(key) : nullptr;
    return at != nullptr && *at == wanted;
  });
  return found == items.end() ? -1 : found - items.begin();
}

class Merger {
 public:
  Done merge_object(value& target, const value& patch, const Shape* shape) {
    if (!patch.is_object()) {
      target = patch;
      return {};
    }
    const object& changes = patch.get_object();
    const std::string_view directive = json::string_at(patch, {kPatch});
    if (directive == "replace" || (directive == "delete")) {
      target = directive == "replace" ? without_directives(patch) : value(object());
      return {};
    }
    if (!directive.empty() && directive != "merge") {
      return refuse(bad_request("unknown patch type: " + std::string(directive)));
    }
    if (!target.is_object()) target.emplace_object();
    object& members = target.get_object();
    retain(members, changes);
    for (const auto& change : changes) {
      const std::string_view key = change.key();
      if (is_directive(key)) continue;
      const Shape* below = member_shape(shape, key);
      if (change.value().is_null())
        members.erase(key);
      else if (change.value().is_array())
        TRY_API(merge_list_member(members, changes, key, below));
      else if (change.value().is_object())
        TRY_API(merge_object(members[key], change.value(), below));
      else
        members[key] = change.value();
    }
    return delete_and_order(members, changes, shape);
  }

 private:
  static const Shape* member_shape(const Shape* shape, std::string_view key) {
    if (shape == nullptr) return nullptr;
    if (shape->kind == Shape::Kind::kMap) return shape->element;
    const Member* member = shape->member(key);
    return member == nullptr ? nullptr : member->shape;
  }

  static void retain(object& members, const object& changes) {
    const value* keys = changes.if_contains(kRetain);
    if (keys == nullptr || !keys->is_array()) return;
    const array& retained = keys->get_array();
    std::vector<std::string> gone;
    for (const auto& member : members) {
      const bool kept = std::any_of(retained.begin(), retained.end(),
                                    [&](const value& k) { return k.is_string() && k.get_string() == member.key(); });
      if (!kept) gone.emplace_back(member.key());
    }
    for (const std::string& key : gone) members.erase(key);
  }

  Done merge_list_member(object& members, const object& changes, std::string_view key, const Shape* shape) {
    const value& patch = *changes.if_contains(key);
    value& slot = members[key];
    if (shape == nullptr || !shape->patch_merges || !slot.is_array()) {
      slot = without_directives(patch);
      return {};
    }
    if (shape->merge_key.empty()) {
      for (const value& item : patch.get_array()) {
        const array& have = slot.get_array();
        if (std::find(have.begin(), have.end(), item) == have.end()) slot.get_array().push_back(item);
      }
      return {};
    }
    return merge_keyed(slot.get_array(), patch.get_array(), *shape);
  }

  Done merge_keyed(array& items, const array& patches, const Shape& shape) {
    const std::string& key = shape.merge_key;
    const bool replaces = std::any_of(patches.begin(), patches.end(), [&](const value& p) {
      return json::string_at(p, {kPatch}) == "replace" && p.is_object() && p.get_object().size() == 1;
    });
    if (replaces) {
      items.clear();
      for (const value& p : patches) {
        if (json::string_at(p, {kPatch}) != "replace") items.push_back(without_directives(p));
      }
      return {};
    }
    for (const value& patch : patches) {
      const value* id = patch.is_object() ? patch.get_object().if_contains(key) : nullptr;
      if (id == nullptr) {
        return refuse(
            {.code = 422,
             .reason = "Invalid",
             .message = fmt::format("map: {} does not contain declared merge key: {}", json::to_string(patch), key)});
      }
      const ptrdiff_t at = position_of(items, key, *id);
      if (json::string_at(patch, {kPatch}) == "delete") {
        if (at >= 0) items.erase(items.begin() + at);
      } else if (at >= 0) {
        TRY_API(merge_object(items[static_cast<size_t>(at)], patch, shape.element));
      } else {
        items.push_back(without_directives(patch));
      }
    }
    return {};
  }

  static Done delete_and_order(object& members, const object& changes, const Shape* shape) {
    for (const auto& change : changes) {
      const std::string_view key = change.key();
      const bool deletes = key.starts_with(kDeleteFrom);
      if (!deletes && !key.starts_with(kOrder)) continue;
      const std::string_view field = key.substr(key.find('/') + 1);
      value* list = members.if_contains(field);
      if (list == nullptr || !list->is_array() || !change.value().is_array()) continue;
      if (deletes) {
        array kept;
        const array& unwanted = change.value().get_array();
        for (const value& item : list->get_array()) {
          if (std::find(unwanted.begin(), unwanted.end(), item) == unwanted.end()) kept.push_back(item);
        }
        *list = std::move(kept);
      } else {
        const Shape* below = member_shape(shape, field);
        order(list->get_array(), change.value().get_array(), below == nullptr ? "" : below->merge_key);
      }
    }
    return {};
  }

  // Sorts the items by `wanted`. An item that `wanted` does not name stays directly after the item that it followed.
  static void order(array& items, const array& wanted, const std::string& key) {
    const auto rank = [&](const value& item) -> ptrdiff_t {
      for (size_t i = 0; i < wanted.size(); ++i) {
        const value* want = key.empty() ? &wanted[i] : json::find(wanted[i], {key});
        const value* have = key.empty() ? &item : json::find(item, {key});
        if (want != nullptr && have != nullptr && *want == *have) return static_cast<ptrdiff_t>(i);
      }
      return -1;
    };
    struct Group {
      ptrdiff_t rank;
      std::vector<value> members;
    };
    std::vector<Group> groups;
    for (const value& item : items) {
      const ptrdiff_t at = rank(item);
      if (at >= 0 || groups.empty())
        groups.push_back({at, {item}});
      else
        groups.back().members.push_back(item);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.rank < b.rank; });
    items.clear();
    for (Group& group : groups) {
      for (value& item : group.members) items.push_back(std::move(item));
    }
  }
};

}  // namespace

Answer<PatchType> patch_type(std::string_view content_type) {
  const std::string_view type = trim(cut(content_type, ';').first);
  if (type == "application/json-patch+json") return PatchType::kJson;
  if (type == "application/merge-patch+json") return PatchType::kMerge;
  if (type == "application/strategic-merge-patch+json") return PatchType::kStrategic;
  if (type == "application/apply-patch+yaml") return PatchType::kApply;
  return refuse(unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, "
      "application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"));
}

Done apply_strategic_merge_patch(value& target, const value& patch, const Shape& shape) {
  if (!patch.is_object()) return refuse(bad_request("a strategic merge patch must be an object"));
  return Merger().merge_object(target, patch, &shape);
}

}  // namespace tenon::kubesim::apiserver
