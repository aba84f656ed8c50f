// SPDX-License-Identifier: Apache-2.0
#include "kubesim/workloads/controller.h"

#include <map>

#include "json/equal.h"
#include "json/json.h"

namespace tenon::kubesim {
namespace {

// Writes the value with keys sorted at every level, so that equal objects give equal text.
void canonical(const json::value& value, std::string& out) {
  if (value.is_object()) {
    std::map<std::string_view, const json::value*> sorted;
    for (const auto& [key, member] : value.get_object()) sorted.emplace(key, &member);
    out += '{';
    for (const auto& [key, member] : sorted) {
      out.append(key).append(":");
      canonical(*member, out);
      out += ',';
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (const json::value& element : value.get_array()) {
      canonical(element, out);
      out += ',';
    }
    out += ']';
  } else {
    out += json::to_string(value);
  }
}

}  // namespace

bool Controller::work() {
  const Instant now = cluster_.now();
  while (auto key = later_.pop(now)) dirty_.insert(std::move(*key));
  if (dirty_.empty()) return false;
  const std::set<ObjectKey> keys = std::exchange(dirty_, {});
  for (const ObjectKey& key : keys)
    if (!sync(key)) mark_at(now + kRetryAfter, key);
  return true;
}

void Controller::mark_owner(std::string_view kind, const Object& before, const Object& after) {
  for (const Object& object : {before, after}) {
    const json::value* owner = object == nullptr ? nullptr : controller_of(*object);
    if (owner != nullptr && json::string_at(*owner, {"kind"}) == kind)
      mark({std::string(namespace_of(*object)), std::string(json::string_at(*owner, {"name"}))});
  }
}

json::value pod_from_template(const json::value& owner, TypeMeta type, const json::value& pod_template) {
  json::object metadata = json::object_at(pod_template, {"metadata"});
  metadata.erase("creationTimestamp");
  metadata.erase("name");
  metadata["namespace"] = namespace_of(owner);
  metadata["ownerReferences"] = json::array{controller_reference(owner, type)};
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", std::move(metadata)},
                      {"spec", json::object_at(pod_template, {"spec"})}};
}

std::string template_hash(const json::value& pod_template, int64_t salt) {
  std::string text;
  canonical(pod_template, text);
  if (salt != 0) text += std::to_string(salt);
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  // Maps digits to letters without vowels, as the API machinery's SafeEncodeString does.
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = std::to_string(hash);
  for (char& c : name) c = kLetters[static_cast<unsigned char>(c) % kLetters.size()];
  return name;
}

Result<Object> create_pod(const Cluster& cluster, const json::value& owner, json::value pod,
                          std::string_view component) {
  auto created = cluster.api.create(kPods, namespace_of(owner), std::move(pod));
  if (created)
    cluster.api.record_event(owner, "Normal", "SuccessfulCreate", "Created pod: " + std::string(name_of(**created)),
                             component);
  else if (created.error().code != Code::kAlreadyExists)
    cluster.api.record_event(owner, "Warning", "FailedCreate", "Error creating: " + created.error().message, component);
  return created;
}

Status delete_pod(const Cluster& cluster, const json::value& owner, const json::value& pod,
                  std::string_view component) {
  DeleteOptions options;
  options.uid = uid_of(pod);
  const Status removed = cluster.api.remove(kPods, namespace_of(pod), name_of(pod), options);
  if (!removed) {
    const Code code = removed.error().code;
    return code == Code::kNotFound || code == Code::kConflict ? ok() : removed;
  }
  cluster.api.record_event(owner, "Normal", "SuccessfulDelete", "Deleted pod: " + std::string(name_of(pod)), component);
  return ok();
}

Status write_status(const Cluster& cluster, const Resource& resource, const Object& object,
                    const std::function<void(json::value&)>& change) {
  const auto written = write(cluster.api, {resource, "status"}, object, [&](json::value& target) {
    const json::value before = target;
    change(target);
    return !json::equal(target, before);
  });
  if (written || written.error().code == Code::kNotFound) return ok();
  return fail(written.error());
}

}  // namespace tenon::kubesim
