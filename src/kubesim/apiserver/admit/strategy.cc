// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/strategy.h"

#include <algorithm>
#include <cstdlib>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/apiserver/admit/qos.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::object;
using boost::json::value;

void copy_field(const value& from, value& to, std::string_view field) {
  if (const value* at = from.get_object().if_contains(field))
    to.get_object()[field] = *at;
  else
    to.get_object().erase(field);
}

void copy_metadata(const value& from, value& to, std::string_view field) {
  if (const value* at = json::find(from, {"metadata", field}))
    json::ensure(to, {"metadata", field}) = *at;
  else
    json::erase(to, {"metadata", field});
}

// Whether the objects are equal except for metadata and, unless with_status, the status.
bool same_but_for(const value& a, const value& b, bool with_status) {
  const auto counts = [&](std::string_view key) { return key != "metadata" && (with_status || key != "status"); };
  const auto covered = [&](const object& x, const object& y) {
    return std::all_of(x.begin(), x.end(), [&](const auto& member) {
      if (!counts(member.key())) return true;
      const value* other = y.if_contains(member.key());
      return other != nullptr && json::equal(*other, member.value());
    });
  };
  return covered(a.get_object(), b.get_object()) && covered(b.get_object(), a.get_object());
}

// Whether both objects have the same members in the same order, equal except for those for which `may_differ` is true.
template <class MayDiffer>
bool same_members(const object& old, const object& next, MayDiffer may_differ) {
  return std::equal(old.begin(), old.end(), next.begin(), next.end(), [&](const auto& x, const auto& y) {
    return x.key() == y.key() && (may_differ(x.key()) || json::equal(x.value(), y.value()));
  });
}

// Whether `next` differs from `old` only in the parts that a write of the status may change, with members in the same
// order: `old` with these parts of `next` equals `next`.
bool only_status_differs(const ResourceInfo& info, const value& old, const value& next) {
  const bool labels_too = info.group.empty() && (info.kind == "Pod" || info.kind == "Node");
  const auto is_status = [](std::string_view key) { return key == "status" || key == "metadata"; };
  const auto is_written = [&](std::string_view key) {
    return key == "managedFields" || (labels_too && (key == "labels" || key == "annotations"));
  };
  const value *old_metadata = json::find(old, {"metadata"}), *metadata = json::find(next, {"metadata"});
  if (old_metadata == nullptr || metadata == nullptr || !old_metadata->is_object() || !metadata->is_object()) {
    return false;
  }
  return same_members(old.get_object(), next.get_object(), is_status) &&
         same_members(old_metadata->get_object(), metadata->get_object(), is_written);
}

// Adds a selector and pod labels with the uid of the job. parity: pkg/registry/batch/job/strategy.go: generateSelector
void select_own_pods(value& job) {
  const value* spec = json::find(job, {"spec"});
  if (spec == nullptr || !spec->is_object() || json::bool_at(*spec, {"manualSelector"})) return;
  const std::string uid(json::string_at(job, {"metadata", "uid"})), name(json::string_at(job, {"metadata", "name"}));
  const bool labelled = json::find(job, {"metadata", "labels"}) != nullptr;
  for (const std::string prefix : {"", "batch.kubernetes.io/"}) {
    json::ensure(job, {"spec", "template", "metadata", "labels", prefix + "controller-uid"}) = uid;
    json::ensure(job, {"spec", "template", "metadata", "labels", prefix + "job-name"}) = name;
  }
  json::ensure(job, {"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}) = uid;
  if (labelled) return;
  const value labels = *json::find(job, {"spec", "template", "metadata", "labels"});
  json::ensure(job, {"metadata", "labels"}) = labels;
}

}  // namespace

void begin_life(const ResourceInfo& info, value& object) {
  if (!info.has(Traits::kStatus)) return;
  if (!info.has(Traits::kKeepsStatus)) object.get_object().erase("status");
  if (info.custom) return;
  if (info.group == "batch" && info.kind == "Job") select_own_pods(object);
  if (!info.group.empty()) return;
  if (info.kind == "Pod") {
    object.get_object()["status"] = {{"phase", "Pending"}, {"qosClass", pod_qos_class(object)}};
  } else if (info.kind == "Namespace") {
    json::ensure(object, {"spec", "finalizers"}) = boost::json::array{"kubernetes"};
    object.get_object()["status"] = {{"phase", "Active"}};
  } else if (info.kind == "PersistentVolume" || info.kind == "PersistentVolumeClaim") {
    object.get_object()["status"] = {{"phase", "Pending"}};
  } else if (info.kind == "Service") {
    object.get_object()["status"] = {{"loadBalancer", boost::json::object()}};
  }
}

void keep_other_parts(const ResourceInfo& info, std::string_view subresource, const value& old, value& next) {
  if (subresource == "binding") return;
  if (subresource.empty()) {
    if (info.has(Traits::kStatus)) copy_field(old, next, "status");
    if (info.kind == "Namespace" && info.group.empty()) copy_field(old, next, "spec");
    return;
  }
  // Most writes of a status change nothing else, so that no part has to be restored.
  if (subresource == "status" && only_status_differs(info, old, next)) return;
  value merged = old;
  copy_metadata(next, merged, "managedFields");
  if (subresource == "status") {
    copy_field(next, merged, "status");
    if (info.group.empty() && (info.kind == "Pod" || info.kind == "Node")) {
      copy_metadata(next, merged, "labels");
      copy_metadata(next, merged, "annotations");
    }
  } else if (subresource == "finalize") {
    copy_field(next, merged, "spec");
  } else if (subresource == "ephemeralcontainers") {
    if (const value* containers = json::find(next, {"spec", "ephemeralContainers"})) {
      json::ensure(merged, {"spec", "ephemeralContainers"}) = *containers;
    }
  } else if (subresource == "resize") {
    if (const value* containers = json::find(next, {"spec", "containers"})) {
      json::ensure(merged, {"spec", "containers"}) = *containers;
    }
  }
  next = std::move(merged);
}

void count_template(const ResourceInfo& info, const value* old, value& next) {
  constexpr std::string_view kCount = "deprecated.daemonset.template.generation";
  if (info.group != "apps" || info.kind != "DaemonSet") return;
  int64_t count = 1;
  if (old != nullptr) {
    const std::string before(json::string_at(*old, {"metadata", "annotations", kCount}, "0"));
    const value* was = json::find(*old, {"spec", "template"});
    const value* is = json::find(next, {"spec", "template"});
    const bool same = was != nullptr && is != nullptr && json::equal(*was, *is);
    count = std::strtoll(before.c_str(), nullptr, 10) + (same ? 0 : 1);
  }
  if (count > 0) json::ensure(next, {"metadata", "annotations", kCount}) = std::to_string(count);
}

bool spec_changed(const ResourceInfo& info, const value& old, const value& next) {
  const bool status_counts = info.custom != nullptr && !info.has(Traits::kStatus);
  if (!same_but_for(old, next, status_counts)) return true;
  // parity: pkg/registry/apps/deployment/strategy.go
  return info.group == "apps" && info.kind == "Deployment" &&
         !json::equal(json::object_at(old, {"metadata", "annotations"}),
                      json::object_at(next, {"metadata", "annotations"}));
}

}  // namespace tenon::kubesim::apiserver
