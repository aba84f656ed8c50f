// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/scale.h"

#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/base/json_path.h"
#include "kubesim/apiserver/show/table.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::object;
using boost::json::value;
using json::string_at;

const value* at_path(const value& of, const std::string& path) {
  if (path.empty()) return nullptr;
  const auto found = json_path(of, path);
  return found.empty() ? nullptr : found[0];
}

// Returns the text of status.selector of a Scale: "app=web,tier in (a,b)".
std::string selector_text(const value& of) {
  const value* selector = json::find(of, {"spec", "selector"});
  if (selector == nullptr) return {};
  const bool plain = string_at(of, {"kind"}) == "ReplicationController";
  const std::string text = plain ? cells::labels(selector) : cells::selector(selector);
  return text == "<none>" ? "" : text;
}

// Follows a path such as ".spec.replicas" and creates missing objects; null if a value on the path is not an object.
value* make_path(value& of, const std::string& path) {
  value* at = &of;
  for (std::string_view step : split(std::string_view(path).substr(path.starts_with('.') ? 1 : 0), '.')) {
    if (at->is_null()) at->emplace_object();
    if (!at->is_object()) return nullptr;
    at = &at->get_object()[step];
  }
  return at;
}

}  // namespace

value scale_of(const ResourceInfo& info, const value& of) {
  object metadata;
  for (std::string_view field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const value* at = json::find(of, {"metadata", field})) metadata[field] = *at;
  }
  object spec, status;
  const value* wanted = info.custom ? at_path(of, info.custom->replicas_path) : json::find(of, {"spec", "replicas"});
  const value* have =
      info.custom ? at_path(of, info.custom->status_replicas_path) : json::find(of, {"status", "replicas"});
  const value* label = info.custom ? at_path(of, info.custom->label_selector_path) : nullptr;
  if (wanted != nullptr && wanted->is_int64() && wanted->get_int64() != 0) spec["replicas"] = *wanted;
  status["replicas"] = have != nullptr && have->is_int64() ? *have : value(0);
  const std::string text = info.custom
                               ? (label != nullptr && label->is_string() ? std::string(label->get_string()) : "")
                               : selector_text(of);
  if (!text.empty()) status["selector"] = text;
  return object{{"kind", "Scale"},
                {"apiVersion", "autoscaling/v1"},
                {"metadata", std::move(metadata)},
                {"spec", std::move(spec)},
                {"status", std::move(status)}};
}

Done apply_scale(const ResourceInfo& info, const value& scale, value& of) {
  const std::string_view name = string_at(of, {"metadata", "name"});
  const value* replicas = json::find(scale, {"spec", "replicas"});
  const int64_t wanted = replicas == nullptr ? 0 : replicas->is_int64() ? replicas->get_int64() : -1;
  if (wanted < 0) {
    ResourceInfo about = info;
    about.kind = "Scale";
    about.group = "autoscaling";
    return refuse(
        invalid(about, name, {schema::invalid("spec.replicas", *replicas, "must be greater than or equal to 0")}));
  }
  const std::string_view version = string_at(scale, {"metadata", "resourceVersion"});
  if (!version.empty()) json::ensure(of, {"metadata", "resourceVersion"}) = version;
  value* slot = make_path(of, info.custom ? info.custom->replicas_path : ".spec.replicas");
  if (slot == nullptr) return refuse(bad_request("the object has no place for replicas"));
  *slot = wanted;
  return {};
}

}  // namespace tenon::kubesim::apiserver
