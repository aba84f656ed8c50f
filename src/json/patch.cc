// SPDX-License-Identifier: Apache-2.0
#include "json/patch.h"

#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"
#include "json/equal.h"
#include "json/json.h"

namespace tenon::json {
namespace {

using Pointer = std::vector<std::string>;

Result<Pointer> parse_pointer(std::string_view text) {
  Pointer steps;
  if (text.empty()) return steps;
  if (text.front() != '/') return fail(Code::kInvalid, "\"" + std::string(text) + "\" is not a JSON pointer");
  for (std::string_view raw : split(text.substr(1), '/')) {
    std::string step;
    for (size_t i = 0; i < raw.size(); ++i) {
      const bool escape = raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1');
      step += escape ? (raw[i + 1] == '0' ? '~' : '/') : raw[i];
      if (escape) ++i;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

// An index in [0, size); std::nullopt for other texts.
std::optional<size_t> parse_index(std::string_view text, size_t size) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index >= size) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return index;
}

value* step_into(value& v, std::string_view step) {
  if (auto* members = v.if_object()) return members->if_contains(step);
  if (auto* items = v.if_array()) {
    if (auto index = parse_index(step, items->size())) return &(*items)[*index];
  }
  return nullptr;
}

Result<value*> locate(value& root, const Pointer& path, size_t steps) {
  value* at = &root;
  for (size_t i = 0; i < steps; ++i) {
    at = step_into(*at, path[i]);
    if (at == nullptr) return fail(Code::kInvalid, "path: nothing at \"" + path[i] + "\"");
  }
  return at;
}

Status add(value& root, const Pointer& path, value what) {
  if (path.empty()) {
    root = std::move(what);
    return ok();
  }
  value* parent = TRY(locate(root, path, path.size() - 1));
  const std::string& last = path.back();
  if (auto* members = parent->if_object()) {
    (*members)[last] = std::move(what);
    return ok();
  }
  auto* items = parent->if_array();
  if (items == nullptr) return fail(Code::kInvalid, "path: \"" + last + "\" is below a scalar");
  const auto index = last == "-" ? std::optional(items->size()) : parse_index(last, items->size() + 1);
  if (!index) return fail(Code::kInvalid, "path: \"" + last + "\" is not an index of this array");
  items->insert(items->begin() + static_cast<ptrdiff_t>(*index), std::move(what));
  return ok();
}

Result<value> remove(value& root, const Pointer& path) {
  if (path.empty()) return fail(Code::kInvalid, "path: the whole document cannot be removed");
  value* parent = TRY(locate(root, path, path.size() - 1));
  value* victim = step_into(*parent, path.back());
  if (victim == nullptr) return fail(Code::kInvalid, "path: nothing at \"" + path.back() + "\"");
  value removed = std::move(*victim);
  if (auto* members = parent->if_object()) {
    members->erase(path.back());
  } else {
    parent->get_array().erase(victim);
  }
  return removed;
}

bool is_prefix(const Pointer& prefix, const Pointer& path) {
  return prefix.size() < path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// Applies a move or a copy.
Status transfer(value& root, std::string_view op, const Pointer& from, const Pointer& path) {
  if (op == "copy") {
    value* source = TRY(locate(root, from, from.size()));
    value copied = *source;
    return add(root, path, std::move(copied));
  }
  if (is_prefix(from, path)) return fail(Code::kInvalid, "from: a value cannot be moved into itself");
  return add(root, path, TRY(remove(root, from)));
}

Status apply_operation(value& root, const value& operation) {
  const std::string_view op = string_at(operation, {"op"});
  const value* path_text = find(operation, {"path"});
  if (path_text == nullptr || !path_text->is_string()) return fail(Code::kInvalid, "path: missing");
  const Pointer path = TRY(parse_pointer(path_text->get_string()));
  if (op == "remove") {
    TRY(remove(root, path));
    return ok();
  }
  if (op == "move" || op == "copy") {
    const value* from_text = find(operation, {"from"});
    if (from_text == nullptr || !from_text->is_string()) return fail(Code::kInvalid, "from: missing");
    return transfer(root, op, TRY(parse_pointer(from_text->get_string())), path);
  }
  if (op != "add" && op != "replace" && op != "test") {
    return fail(Code::kInvalid, "op: \"" + std::string(op) + "\" is not an operation");
  }
  const value* what = find(operation, {"value"});
  if (what == nullptr) return fail(Code::kInvalid, "value: missing");
  if (op == "add") return add(root, path, *what);
  value* target = TRY(locate(root, path, path.size()));
  if (op == "replace") {
    *target = *what;
  } else if (!equal(*target, *what)) {
    return fail(Code::kInvalid, "test: the value at \"" + std::string(path_text->get_string()) + "\" is another");
  }
  return ok();
}

}  // namespace

void apply_merge_patch(value& target, const value& patch) {
  const object* changes = patch.if_object();
  if (changes == nullptr) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  object& members = target.get_object();
  for (const auto& change : *changes) {
    if (change.value().is_null()) {
      members.erase(change.key());
    } else {
      apply_merge_patch(members[change.key()], change.value());
    }
  }
}

value make_merge_patch(const value& from, const value& to) {
  const object* before = from.if_object();
  const object* after = to.if_object();
  if (before == nullptr || after == nullptr) return to;
  object patch;
  for (const auto& member : *before) {
    if (!after->contains(member.key())) patch[member.key()] = nullptr;
  }
  for (const auto& member : *after) {
    const value* old = before->if_contains(member.key());
    if (old != nullptr && equal(*old, member.value())) continue;
    const bool both_objects = old != nullptr && old->is_object() && member.value().is_object();
    patch[member.key()] = both_objects ? make_merge_patch(*old, member.value()) : member.value();
  }
  return patch;
}

Status apply_json_patch(value& target, const value& operations) {
  const array* list = operations.if_array();
  if (list == nullptr) return fail(Code::kInvalid, "a JSON patch is an array of operations");
  value result = target;
  for (size_t i = 0; i < list->size(); ++i) {
    TRY_IN("operation " + std::to_string(i), apply_operation(result, (*list)[i]));
  }
  target = std::move(result);
  return ok();
}

}  // namespace tenon::json
