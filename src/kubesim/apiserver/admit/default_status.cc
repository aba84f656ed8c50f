// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kubesim/apiserver/admit/default_values.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver::defaults {
namespace {

void default_namespace(object& root) {
  const value name = root["metadata"].get_object()["name"];
  object& metadata = root["metadata"].get_object();
  fill(metadata, "labels", object());
  metadata["labels"].get_object()["kubernetes.io/metadata.name"] = name;
}

// Sets the zero values that Go writes for unset required fields: numbers and strings.
void fill_required(object& at, const Shape& shape) {
  for (const auto& [field, member] : shape.members) {
    if (!member.required || at.contains(field)) continue;
    const Shape::Kind kind = member.shape->kind;
    if (kind == Shape::Kind::kInt || kind == Shape::Kind::kLong) at[field] = 0;
    if (kind == Shape::Kind::kString) at[field] = "";
  }
}

void default_status(const ResourceInfo& info, object& root) {
  const Shape* shape = shape_of(info);
  const Member* status = shape == nullptr ? nullptr : shape->member("status");
  fill(root, "status", object());
  if (object* at = child(root, "status"); at != nullptr && status != nullptr) fill_required(*at, *status->shape);
}

void default_node(object& root) {
  fill(root, "status", object());
  object& status = root["status"].get_object();
  fill(status, "daemonEndpoints", {{"kubeletEndpoint", {{"Port", 0}}}});
  fill(status, "nodeInfo", object());
  fill_required(status["nodeInfo"].get_object(), *builtin_shapes().find("NodeSystemInfo"));
}

template <class F>
void for_each_condition(object& root, F f) {
  if (object* status = child(root, "status")) for_each(*status, "conditions", f);
}

}  // namespace

void default_other(const ResourceInfo& info, object& root) {
  if (info.kind == "StorageClass") {
    fill(root, "reclaimPolicy", "Delete");
    fill(root, "volumeBindingMode", "Immediate");
  } else if (info.kind == "PriorityClass") {
    fill(root, "preemptionPolicy", "PreemptLowerPriority");
  } else if (info.kind == "Secret") {
    fill(root, "type", "Opaque");
  } else if (info.kind == "Namespace") {
    default_namespace(root);
  } else if (info.kind == "Event") {
    fill(root, "eventTime", nullptr);
    fill(root, "reportingComponent", "");
    fill(root, "reportingInstance", "");
  } else if (info.kind == "Node") {
    default_node(root);
  } else if (info.kind == "Pod") {
    for_each_condition(root, [](object& condition) { fill(condition, "lastProbeTime", nullptr); });
  } else if (info.has(Traits::kStatus)) {
    default_status(info, root);
  }
}

}  // namespace tenon::kubesim::apiserver::defaults
