// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/objects.h"

#include <charconv>

#include "json/json.h"

namespace tenon::kubesim {

std::string_view name_of(const json::value& object) { return json::string_at(object, {"metadata", "name"}); }
std::string_view namespace_of(const json::value& object) { return json::string_at(object, {"metadata", "namespace"}); }
std::string_view uid_of(const json::value& object) { return json::string_at(object, {"metadata", "uid"}); }

ObjectKey key_of(const json::value& object) {
  return {std::string(namespace_of(object)), std::string(name_of(object))};
}

const json::object& labels_of(const json::value& object) { return json::object_at(object, {"metadata", "labels"}); }

std::string_view annotation(const json::value& object, std::string_view name) {
  return json::string_at(object, {"metadata", "annotations", name});
}

bool is_deleting(const json::value& object) {
  return !json::string_at(object, {"metadata", "deletionTimestamp"}).empty();
}

Instant time_at(const json::value& object, std::initializer_list<std::string_view> path) {
  return parse_rfc3339(json::string_at(object, path)).value_or(Instant{});
}

const json::value* controller_of(const json::value& object) {
  for (const json::value& owner : json::array_at(object, {"metadata", "ownerReferences"}))
    if (json::bool_at(owner, {"controller"})) return &owner;
  return nullptr;
}

std::string_view controller_uid(const json::value& object) {
  const json::value* owner = controller_of(object);
  return owner == nullptr ? std::string_view{} : json::string_at(*owner, {"uid"});
}

json::value controller_reference(const json::value& owner, TypeMeta type) {
  return json::object{{"apiVersion", type.api_version}, {"kind", type.kind},  {"name", name_of(owner)},
                      {"uid", uid_of(owner)},           {"controller", true}, {"blockOwnerDeletion", true}};
}

const json::value* find_condition(const json::value& object, std::string_view type) {
  for (const json::value& condition : json::array_at(object, {"status", "conditions"}))
    if (json::string_at(condition, {"type"}) == type) return &condition;
  return nullptr;
}

bool condition_is(const json::value& object, std::string_view type, std::string_view status) {
  const json::value* condition = find_condition(object, type);
  return condition != nullptr && json::string_at(*condition, {"status"}) == status;
}

json::object& status_of(json::value& object) {
  json::value& status = json::ensure(object, {"status"});
  return status.is_object() ? status.get_object() : status.emplace_object();
}

namespace {

bool assign_text(json::object& object, std::string_view key, std::string_view text) {
  const json::value* had = object.if_contains(key);
  if (text.empty()) return had != nullptr && (object.erase(key), true);
  if (had != nullptr && had->is_string() && had->get_string() == text) return false;
  object[key] = text;
  return true;
}

}  // namespace

bool set_condition(json::value& object, const Condition& condition, Instant now) {
  json::value& list = status_of(object)["conditions"];
  if (!list.is_array()) list = json::array();
  json::object* slot = nullptr;
  for (json::value& entry : list.get_array())
    if (json::string_at(entry, {"type"}) == condition.type && entry.is_object()) slot = &entry.get_object();
  if (slot == nullptr) slot = &list.get_array().emplace_back(json::object{{"type", condition.type}}).get_object();
  bool changed = assign_text(*slot, "status", condition.status);
  if (changed) (*slot)["lastTransitionTime"] = format_rfc3339(now);
  changed |= assign_text(*slot, "reason", condition.reason);
  changed |= assign_text(*slot, "message", condition.message);
  return changed;
}

bool remove_condition(json::value& object, std::string_view type) {
  json::value* list = json::find(object, {"status", "conditions"});
  if (list == nullptr || !list->is_array()) return false;
  json::array& conditions = list->get_array();
  for (auto at = conditions.begin(); at != conditions.end(); ++at)
    if (json::string_at(*at, {"type"}) == type) {
      conditions.erase(at);
      return true;
    }
  return false;
}

void set_count(json::value& object, std::string_view field, int64_t count) {
  json::object& status = status_of(object);
  if (count == 0)
    status.erase(field);
  else
    status[field] = count;
}

bool pod_is_terminal(const json::value& pod) {
  const std::string_view phase = json::string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool pod_is_ready(const json::value& pod) { return condition_is(pod, "Ready", "True"); }
bool pod_is_active(const json::value& pod) { return !pod_is_terminal(pod) && !is_deleting(pod); }
std::string_view node_name_of(const json::value& pod) { return json::string_at(pod, {"spec", "nodeName"}); }

std::optional<Instant> available_at(const json::value& pod, int64_t min_ready_seconds) {
  const json::value* ready = find_condition(pod, "Ready");
  if (ready == nullptr || json::string_at(*ready, {"status"}) != "True") return std::nullopt;
  return time_at(*ready, {"lastTransitionTime"}) + std::chrono::seconds(min_ready_seconds);
}

int64_t int_or_percent(const json::value* value, int64_t total, bool round_up, int64_t otherwise) {
  if (value == nullptr) return otherwise;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64()) return static_cast<int64_t>(value->get_uint64());
  if (!value->is_string()) return otherwise;
  const std::string_view text = value->get_string();
  int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc{} || std::string_view(end, text.data() + text.size()) != "%") return otherwise;
  return (percent * total + (round_up ? 99 : 0)) / 100;
}

}  // namespace tenon::kubesim
