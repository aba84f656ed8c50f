// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/field_set.h"

#include <algorithm>

#include "json/equal.h"
#include "json/json.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using Kind = Shape::Kind;

const Shape& any_shape() {
  static const Shape kAny;
  return kAny;
}

// Returns the shape of a member. Unknown members are owned leaf by leaf, as in an object without a schema.
const Shape& member_shape(const Shape& shape, std::string_view name, bool* atomic) {
  *atomic = false;
  if (shape.kind == Kind::kMap) return *shape.element;
  const Member* member = shape.member(name);
  if (member == nullptr) return any_shape();
  *atomic = member->atomic || (member->shape->kind == Kind::kObject && member->shape->atomic);
  return *member->shape;
}

bool is_map_list(const Shape& shape) { return shape.kind == Kind::kList && shape.list_type == Shape::ListType::kMap; }
bool is_set(const Shape& shape) { return shape.kind == Kind::kList && shape.list_type == Shape::ListType::kSet; }

std::string item_key(const value& item, const Shape& list) {
  if (!is_map_list(list)) return "v:" + schema::canonical_json(item);
  object key;
  for (const std::string& name : list.list_keys) {
    const value* at = item.is_object() ? item.get_object().if_contains(name) : nullptr;
    if (at != nullptr)
      key[name] = *at;
    else if (name == "protocol")
      key[name] = "TCP";  // the only list key with a default
  }
  return "k:" + schema::canonical_json(key);
}

const value* find_item(const array& items, const std::string& key, const Shape& list) {
  for (const value& item : items) {
    if (item_key(item, list) == key) return &item;
  }
  return nullptr;
}

bool has_parts(const value& v, const Shape& shape, bool atomic) {
  if (atomic) return false;
  if (v.is_object()) return !v.get_object().empty();
  return v.is_array() && (is_map_list(shape) || is_set(shape)) && !v.get_array().empty();
}

void collect(const value& v, const Shape& shape, bool atomic, FieldSet& into) {
  if (!has_parts(v, shape, atomic)) {
    into.member = true;
    return;
  }
  if (v.is_object()) {
    for (const auto& entry : v.get_object()) {
      bool below_atomic = false;
      const Shape& below = member_shape(shape, entry.key(), &below_atomic);
      collect(entry.value(), below, below_atomic, into.children["f:" + std::string(entry.key())]);
    }
    return;
  }
  for (const value& item : v.get_array()) {
    FieldSet& node = into.children[item_key(item, shape)];
    node.member = true;
    if (is_map_list(shape)) collect(item, *shape.element, false, node);
  }
}

class Differ {
 public:
  // changed, gone: the nodes of the results for these values. gone may be null.
  void compare(const value* before, const value& after, const Shape& shape, bool atomic, FieldSet& changed,
               FieldSet* gone) {
    if (before == nullptr) return collect(after, shape, atomic, changed);
    if (before->is_object() && after.is_object() && !atomic)
      return compare_objects(before->get_object(), after.get_object(), shape, changed, gone);
    if (json::equal(*before, after)) return;
    const bool same_kind = before->kind() == after.kind();
    if (!same_kind || atomic || (!is_map_list(shape) && !is_set(shape))) {
      changed.member = true;
      return;
    }
    compare_lists(before->get_array(), after.get_array(), shape, changed, gone);
  }

 private:
  void compare_objects(const object& before, const object& after, const Shape& shape, FieldSet& changed,
                       FieldSet* gone) {
    for (const auto& entry : after) {
      const value* old = before.if_contains(entry.key());
      if (old != nullptr && json::equal(*old, entry.value())) continue;
      bool atomic = false;
      const Shape& below = member_shape(shape, entry.key(), &atomic);
      descend(old, entry.value(), below, atomic, "f:" + std::string(entry.key()), changed, gone);
    }
    if (after.empty() && !before.empty()) changed.member = true;
    if (gone == nullptr) return;
    for (const auto& entry : before) {
      if (after.contains(entry.key())) continue;
      bool atomic = false;
      const Shape& below = member_shape(shape, entry.key(), &atomic);
      collect(entry.value(), below, atomic, gone->children["f:" + std::string(entry.key())]);
    }
  }

  void compare_lists(const array& before, const array& after, const Shape& shape, FieldSet& changed, FieldSet* gone) {
    for (const value& item : after) {
      const std::string key = item_key(item, shape);
      const value* old = find_item(before, key, shape);
      if (old == nullptr) changed.children[key].member = true;
      if (is_map_list(shape)) descend(old, item, *shape.element, false, key, changed, gone);
    }
    if (gone == nullptr) return;
    for (const value& item : before) {
      const std::string key = item_key(item, shape);
      if (find_item(after, key, shape) != nullptr) continue;
      FieldSet& node = gone->children[key];
      node.member = true;
      if (is_map_list(shape)) collect(item, *shape.element, false, node);
    }
  }

  void descend(const value* before, const value& after, const Shape& shape, bool atomic, const std::string& step,
               FieldSet& changed, FieldSet* gone) {
    FieldSet below, below_gone;
    compare(before, after, shape, atomic, below, gone == nullptr ? nullptr : &below_gone);
    if (!below.empty()) changed.children[step] = unite(changed.children[step], below);
    if (!below_gone.empty()) gone->children[step] = std::move(below_gone);
  }
};

void append_paths(const FieldSet& set, const std::string& prefix, std::vector<std::string>& out) {
  if (set.member) out.push_back(prefix);
  for (const auto& [step, child] : set.children) {
    const std::string_view rest = std::string_view(step).substr(2);
    std::string path = prefix;
    if (step.starts_with("f:")) {
      path += "." + std::string(rest);
    } else if (step.starts_with("k:")) {
      path += "[";
      const auto key = json::parse(rest);
      bool first = true;
      for (const auto& part : key ? key->get_object() : object()) {
        path += (first ? "" : ",") + std::string(part.key()) + "=" + json::to_string(part.value());
        first = false;
      }
      path += "]";
    } else {
      path += "[=" + std::string(rest) + "]";
    }
    append_paths(child, path, out);
  }
}

// Whether a node of FieldsV1 is a member of its set.
bool is_member(const value& node) {
  return node.is_object() && (node.get_object().empty() || node.get_object().contains("."));
}
const value* step_below(const value& node, std::string_view step) {
  return node.is_object() ? node.get_object().if_contains(step) : nullptr;
}

}  // namespace

FieldSet fields_of(const value& object, const Shape& shape) {
  FieldSet set;
  collect(object, shape, false, set);
  return set;
}

FieldSet changed_fields(const value& before, const value& after, const Shape& shape, FieldSet* removed) {
  FieldSet changed;
  Differ().compare(&before, after, shape, false, changed, removed);
  return changed;
}

FieldSet unite(FieldSet a, const FieldSet& b) {
  a.member = a.member || b.member;
  for (const auto& [step, child] : b.children) {
    FieldSet& slot = a.children[step];
    slot = unite(std::move(slot), child);
  }
  return a;
}

FieldSet intersect(const FieldSet& a, const FieldSet& b) {
  FieldSet result;
  result.member = a.member && b.member;
  for (const auto& [step, child] : a.children) {
    const auto other = b.children.find(step);
    if (other == b.children.end()) continue;
    FieldSet both = intersect(child, other->second);
    if (!both.empty()) result.children.emplace(step, std::move(both));
  }
  return result;
}

FieldSet subtract(FieldSet a, const FieldSet& b) {
  a.member = a.member && !b.member;
  for (const auto& [step, child] : b.children) {
    const auto found = a.children.find(step);
    if (found == a.children.end()) continue;
    found->second = subtract(std::move(found->second), child);
    if (found->second.empty()) a.children.erase(found);
  }
  return a;
}

FieldSet parse_fields_v1(const value& fields) {
  FieldSet set;
  if (!fields.is_object()) return set;
  for (const auto& entry : fields.get_object()) {
    if (entry.key() == ".") {
      set.member = true;
      continue;
    }
    FieldSet child = parse_fields_v1(entry.value());
    if (child.children.empty()) child.member = true;
    set.children.emplace(entry.key(), std::move(child));
  }
  return set;
}

bool covers(const value& fields_v1, const FieldSet& set) {
  if (set.member && !is_member(fields_v1)) return false;
  return std::all_of(set.children.begin(), set.children.end(), [&](const auto& child) {
    const value* below = step_below(fields_v1, child.first);
    return below != nullptr && covers(*below, child.second);
  });
}

bool meets(const value& fields_v1, const FieldSet& set) {
  if (set.member && is_member(fields_v1)) return true;
  return std::any_of(set.children.begin(), set.children.end(), [&](const auto& child) {
    const value* below = step_below(fields_v1, child.first);
    return below != nullptr && meets(*below, child.second);
  });
}

value to_fields_v1(const FieldSet& set) {
  object fields;
  if (set.member && !set.children.empty()) fields["."] = object();
  for (const auto& [step, child] : set.children) fields[step] = to_fields_v1(child);
  return fields;
}

std::vector<std::string> field_paths(const FieldSet& set) {
  std::vector<std::string> paths;
  append_paths(set, "", paths);
  return paths;
}

void remove_fields(value& v, const FieldSet& set, const Shape& shape) {
  if (v.is_object()) {
    object& members = v.get_object();
    for (const auto& [step, child] : set.children) {
      if (!step.starts_with("f:")) continue;
      const std::string name = step.substr(2);
      value* at = members.if_contains(name);
      if (at == nullptr) continue;
      bool atomic = false;
      const Shape& below = member_shape(shape, name, &atomic);
      if (!child.children.empty()) remove_fields(*at, child, below);
      const bool emptied = (at->is_object() && at->get_object().empty()) || (at->is_array() && at->get_array().empty());
      if (child.member || (emptied && !child.children.empty())) members.erase(name);
    }
    return;
  }
  if (!v.is_array()) return;
  array kept;
  for (value& item : v.get_array()) {
    const auto found = set.children.find(item_key(item, shape));
    if (found != set.children.end() && found->second.member) continue;
    if (found != set.children.end()) remove_fields(item, found->second, *shape.element);
    kept.push_back(std::move(item));
  }
  v = std::move(kept);
}

}  // namespace tenon::kubesim::apiserver
