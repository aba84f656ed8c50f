// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/apiserver/base/limits.h"
#include "kubesim/apiserver/base/names.h"
#include "kubesim/apiserver/base/uid.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::string_at;

// Restores the old value of `field` in metadata.
void restore(const value& old, value& next, std::string_view field) {
  if (const value* before = json::find(old, {"metadata", field})) {
    json::ensure(next, {"metadata", field}) = *before;
  } else {
    json::erase(next, {"metadata", field});
  }
}

std::optional<std::string> check_name(const ResourceInfo& info, std::string_view name) {
  if (info.has(Traits::kPathName)) return check_path_segment(name);
  if (info.has(Traits::kLabelName)) return info.kind == "Service" ? check_dns1035_label(name) : check_dns_label(name);
  return check_dns_subdomain(name);
}

void check_labels(const value& object, std::vector<Cause>& causes) {
  for (const auto& label : json::object_at(object, {"metadata", "labels"})) {
    if (auto wrong = check_qualified_name(label.key())) {
      causes.push_back(schema::invalid("metadata.labels", value(label.key()), *wrong));
    }
    if (!label.value().is_string()) continue;
    if (auto wrong = check_label_value(label.value().get_string())) {
      causes.push_back(schema::invalid("metadata.labels", label.value(), *wrong));
    }
  }
}

void check_annotations(const value& object, std::vector<Cause>& causes) {
  size_t bytes = 0;
  for (const auto& entry : json::object_at(object, {"metadata", "annotations"})) {
    if (auto wrong = check_qualified_name(std::string(entry.key()))) {
      causes.push_back(schema::invalid("metadata.annotations", value(entry.key()), *wrong));
    }
    bytes += entry.key().size() + (entry.value().is_string() ? entry.value().get_string().size() : 0);
  }
  if (bytes > kMaxAnnotationBytes) {
    causes.push_back(schema::too_long("metadata.annotations", static_cast<int64_t>(kMaxAnnotationBytes)));
  }
}

void check_owners(const value& object, std::vector<Cause>& causes) {
  size_t controllers = 0;
  for (const value& owner : json::array_at(object, {"metadata", "ownerReferences"})) {
    for (std::string_view field : {"apiVersion", "kind", "name", "uid"}) {
      if (string_at(owner, {field}).empty()) {
        causes.push_back(
            schema::invalid(fmt::format("metadata.ownerReferences.{}", field), value(""), "must not be empty"));
      }
    }
    if (json::bool_at(owner, {"controller"})) ++controllers;
  }
  if (controllers > 1) {
    causes.push_back(schema::invalid("metadata.ownerReferences", *json::find(object, {"metadata", "ownerReferences"}),
                                     "Only one reference can have Controller set to true."));
  }
}

void check_string_map(const value& object, std::string_view field, std::vector<Cause>& causes) {
  for (const auto& entry : json::object_at(object, {"metadata", field})) {
    if (entry.value().is_string()) continue;
    causes.push_back(schema::type_invalid(fmt::format("metadata.{}.{}", field, std::string_view(entry.key())), "",
                                          "must be a string"));
  }
}

}  // namespace

StoreKey key_of(const value& object) {
  return {std::string(string_at(object, {"metadata", "namespace"})),
          std::string(string_at(object, {"metadata", "name"}))};
}

Done check_type(const ResourceInfo& info, value& object) {
  if (!object.is_object()) return refuse(bad_request("the body must be a JSON object"));
  const std::string_view version = string_at(object, {"apiVersion"});
  const std::string_view kind = string_at(object, {"kind"});
  if (!kind.empty() && kind != info.kind) {
    return refuse(bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}", kind,
                                          version.empty() ? info.api_version() : std::string(version), info.kind)));
  }
  if (!version.empty() && version != info.api_version()) {
    return refuse(bad_request(fmt::format(
        "the API version in the data ({}) does not match the expected API version ({})", version, info.api_version())));
  }
  object.get_object()["apiVersion"] = info.api_version();
  object.get_object()["kind"] = info.kind;
  value& metadata = object.get_object()["metadata"];
  if (metadata.is_null()) metadata.emplace_object();
  if (!metadata.is_object()) return refuse(bad_request("metadata: must be an object"));
  for (std::string_view field : {"labels", "annotations", "ownerReferences", "finalizers"}) {
    const value* at = metadata.get_object().if_contains(field);
    if (at == nullptr) continue;
    if (at->is_null())
      metadata.get_object().erase(field);
    else if (field == "labels" || field == "annotations" ? !at->is_object() : !at->is_array()) {
      return refuse(bad_request(fmt::format("metadata.{}: wrong type", field)));
    }
  }
  return {};
}

Done check_namespace(const ResourceInfo& info, std::string_view ns, value& object) {
  value& metadata = object.get_object()["metadata"];
  const std::string_view own = string_at(object, {"metadata", "namespace"});
  if (!info.namespaced) {
    if (!own.empty()) metadata.get_object().erase("namespace");
    return {};
  }
  if (ns.empty()) return refuse(bad_request("an empty namespace may not be set during creation"));
  if (!own.empty() && own != ns) {
    return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  metadata.get_object()["namespace"] = ns;
  return {};
}

Done stamp_new(const ResourceInfo& info, value& object, runtime::Runtime& runtime) {
  value& metadata = object.get_object()["metadata"];
  boost::json::object& fields = metadata.get_object();
  if (!string_at(metadata, {"resourceVersion"}).empty()) {
    return refuse({.code = 500, .message = "resourceVersion should not be set on objects to be created"});
  }
  const std::string base(string_at(metadata, {"generateName"}));
  if (string_at(metadata, {"name"}).empty() && !base.empty()) {
    fields["name"] = base.substr(0, kMaxLabelLength - kSuffixLength) + random_suffix(runtime);
  }
  for (std::string_view field : {"resourceVersion", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    fields.erase(field);
  }
  fields["uid"] = new_uid(runtime);
  fields["creationTimestamp"] = format_rfc3339(runtime.now());
  if (info.has(Traits::kGeneration))
    fields["generation"] = 1;
  else
    fields.erase("generation");
  return {};
}

Done carry_over(const ResourceInfo& info, const value& old, value& next) {
  const std::string_view name = string_at(old, {"metadata", "name"});
  const std::string_view uid = string_at(next, {"metadata", "uid"});
  const std::string_view old_uid = string_at(old, {"metadata", "uid"});
  if (!uid.empty() && uid != old_uid) {
    const Cause cause = schema::invalid("metadata.uid", value(uid), "field is immutable");
    return refuse(invalid(info, name, {cause, cause}));
  }
  const std::string_view version = string_at(next, {"metadata", "resourceVersion"});
  if (!version.empty() && version != "0" && version != string_at(old, {"metadata", "resourceVersion"})) {
    return refuse(modified_meanwhile(info, name));
  }
  for (std::string_view field : {"name", "namespace", "uid", "creationTimestamp", "generation", "generateName",
                                 "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion", "selfLink"}) {
    restore(old, next, field);
  }
  return {};
}

std::vector<Cause> validate_metadata(const ResourceInfo& info, const value& object, const value* old) {
  std::vector<Cause> causes;
  const std::string_view name = string_at(object, {"metadata", "name"});
  if (old == nullptr) {
    if (name.empty()) {
      causes.push_back(schema::required("metadata.name", "name or generateName is required"));
    } else if (auto wrong = check_name(info, name)) {
      causes.push_back(schema::invalid("metadata.name", value(name), *wrong));
    }
  }
  check_string_map(object, "labels", causes);
  check_string_map(object, "annotations", causes);
  check_labels(object, causes);
  check_annotations(object, causes);
  check_owners(object, causes);
  for (const value& finalizer : json::array_at(object, {"metadata", "finalizers"})) {
    const std::string_view text = finalizer.is_string() ? std::string_view(finalizer.get_string()) : "";
    if (auto wrong = check_qualified_name(text)) {
      causes.push_back(schema::invalid("metadata.finalizers", finalizer, *wrong));
    }
    const bool deleting = old != nullptr && json::find(*old, {"metadata", "deletionTimestamp"}) != nullptr;
    if (deleting && !has_finalizer(*old, text)) {
      causes.push_back(schema::forbidden(
          "metadata.finalizers", fmt::format("no new finalizers can be added if the object is being deleted, found new "
                                             "finalizers []string{{\"{}\"}}",
                                             text)));
    }
  }
  return causes;
}

bool is_deleting(const value& object) { return json::find(object, {"metadata", "deletionTimestamp"}) != nullptr; }

bool has_finalizer(const value& object, std::string_view name) {
  const auto& all = json::array_at(object, {"metadata", "finalizers"});
  return std::any_of(all.begin(), all.end(), [&](const value& v) { return v.is_string() && v.get_string() == name; });
}

void add_finalizer(value& object, std::string_view name) {
  if (has_finalizer(object, name)) return;
  value& all = json::ensure(object, {"metadata", "finalizers"});
  if (!all.is_array()) all.emplace_array();
  all.get_array().emplace_back(name);
}

void drop_finalizer(value& object, std::string_view name) {
  boost::json::array kept;
  for (const value& v : json::array_at(object, {"metadata", "finalizers"})) {
    if (!v.is_string() || v.get_string() != name) kept.push_back(v);
  }
  if (kept.empty())
    json::erase(object, {"metadata", "finalizers"});
  else
    json::ensure(object, {"metadata", "finalizers"}) = std::move(kept);
}

}  // namespace tenon::kubesim::apiserver
