// The handlers of the verbs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "kubesim/apiserver/admit/metadata.h"
#include "kubesim/apiserver/front/frontend.h"
#include "kubesim/apiserver/kinds/convert.h"
#include "kubesim/apiserver/objects/merge_patch.h"
#include "kubesim/apiserver/objects/patches.h"
#include "kubesim/apiserver/objects/pod_actions.h"
#include "kubesim/apiserver/objects/server_side_apply.h"
#include "kubesim/apiserver/show/scale.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::object;
using boost::json::value;
using json::string_at;

// Returns the Status for a successful DELETE; info null: for an eviction or binding.
value success(const ResourceInfo* info, std::string_view name, std::string_view uid) {
  object status{{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", object()}, {"status", "Success"}};
  if (info == nullptr) {
    status["code"] = 201;
    return status;
  }
  object details{{"name", name}};
  if (!info->group.empty()) details["group"] = info->group;
  details["kind"] = info->plural;
  details["uid"] = uid;
  status["details"] = std::move(details);
  return status;
}

}  // namespace

Answer<Object> Frontend::as_served(const Call& call, const Object& object) {
  return TRY_API(to_served(*call.served, std::vector<Object>{object})).front();
}

Answer<Frontend::Reply> Frontend::list(Call& call) {
  // Field selectors name fields of the version in the request. The selectable fields are the same in all versions.
  const Selection selection = TRY_API(parse_selection(call.stored, call.request));
  const Renderer render = renderer(call);
  return Reply{.body = TRY_API(list_body(objects_, pages_, call.request, *call.served, selection, render)),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::get(Call& call) {
  const Object found = TRY_API(objects_.get(target(call)));
  const Renderer render = renderer(call);
  return Reply{.body = render.one(*TRY_API(as_served(call, found))),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::create(Call& call) {
  if (!call.request.name.empty()) return refuse(method_not_supported(*call.served, "create"));
  const WriteContext how = TRY_API(context(call));
  value body = TRY_API(parse_body(call.http));
  TRY_API(check_type(*call.served, body));
  TRY_API(to_stored(*call.served, *call.stored, body));
  const Object created = TRY_API(objects_.create(target(call), std::move(body), how));
  const Renderer render = renderer(call);
  return Reply{.status = 201,
               .body = render.one(*TRY_API(as_served(call, created))),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::update(Call& call) {
  const WriteContext how = TRY_API(context(call));
  value body = TRY_API(parse_body(call.http));
  TRY_API(check_type(*call.served, body));
  const std::string_view version = string_at(body, {"metadata", "resourceVersion"});
  if (version.empty() && !call.served->has(Traits::kUnconditional)) {
    return refuse(invalid(*call.served, call.request.name,
                          {schema::invalid("metadata.resourceVersion", value(0), "must be specified for an update")}));
  }
  TRY_API(to_stored(*call.served, *call.stored, body));
  const Object updated = TRY_API(objects_.replace(target(call), std::move(body), how));
  const Renderer render = renderer(call);
  return Reply{.body = render.one(*TRY_API(as_served(call, updated))),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::patch(Call& call) {
  const WriteContext how = TRY_API(context(call));
  const PatchType type = TRY_API(patch_type(call.http.headers.get("Content-Type")));
  const value body = TRY_API(parse_body(call.http));
  const Renderer render = renderer(call);
  if (type == PatchType::kApply) {
    if (call.request.param("fieldManager").empty()) {
      return refuse(bad_request(
          "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"));
    }
    const Applied applied =
        TRY_API(server_side_apply(objects_, target(call), *call.served, body, how, call.request.flag("force")));
    return Reply{.status = applied.created ? 201 : 200,
                 .body = render.one(*TRY_API(as_served(call, applied.object))),
                 .content_type = std::string(render.content_type())};
  }
  const auto change = [&](value& at) { return apply_patch(*call.served, *call.stored, type, body, at); };
  const auto patched = objects_.modify(target(call), change, how);
  if (!patched && !patched.error().decoding.empty()) {
    value left = *TRY_API(objects_.get(target(call)));
    TRY_API(change(left));
    return refuse(undecodable_patch(type, body, left, patched.error().decoding));
  }
  if (!patched) return refuse(patched.error());
  return Reply{.body = render.one(*TRY_API(as_served(call, *patched))),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::remove(Call& call) {
  WriteContext how;
  const DeleteOptions options = TRY_API(delete_options(call.request, call.http, &how.dry_run));
  const Removal removal = TRY_API(objects_.remove(target(call), options, how));
  const Renderer render = renderer(call);
  if (removal.gone && !call.served->has(Traits::kReturnsDeleted)) {
    const std::string_view uid = string_at(*removal.object, {"metadata", "uid"});
    return Reply{.body = json::to_string(success(call.served.get(), call.request.name, uid)) + "\n"};
  }
  return Reply{.body = render.one(*TRY_API(as_served(call, removal.object))),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::remove_collection(Call& call) {
  WriteContext how;
  const DeleteOptions options = TRY_API(delete_options(call.request, call.http, &how.dry_run));
  const Selection selection = TRY_API(parse_selection(call.stored, call.request));
  ObjectList all = objects_.store().list(call.stored->storage(), call.request.ns);
  std::erase_if(all.items, [&](const Object& o) { return !selection.matches(*o); });
  for (const Object& item : all.items) {
    const StoreKey key = key_of(*item);
    auto removed = objects_.remove({call.stored, key.ns, key.name}, options, how);
    if (!removed && removed.error().code != 404) return refuse(removed.error());
  }
  const Renderer render = renderer(call);
  all.items = TRY_API(to_served(*call.served, std::move(all.items)));
  return Reply{.body = render.list(all.items, {.resource_version = objects_.store().revision()}),
               .content_type = std::string(render.content_type())};
}

Answer<Frontend::Reply> Frontend::serve_scale(Call& call) {
  Target object_target = target(call);
  object_target.subresource.clear();
  const Object now = TRY_API(objects_.get(object_target));
  if (call.request.verb == "get") return Reply{.body = json::to_string(scale_of(*call.stored, *now)) + "\n"};
  WriteContext how = TRY_API(context(call));
  const value body = TRY_API(parse_body(call.http));
  PatchType type = PatchType::kMerge;
  if (call.request.verb == "patch") type = TRY_API(patch_type(call.http.headers.get("Content-Type")));
  if (type == PatchType::kApply) return refuse(unsupported_media_type("scale cannot be applied"));
  const auto change = [&](value& at) -> Done {
    value scale = scale_of(*call.stored, at);
    if (call.request.verb == "update") {
      scale = body;
    } else if (type == PatchType::kStrategic) {
      TRY_API(apply_strategic_merge_patch(scale, body, *builtin_shapes().find("Scale")));
    } else if (type == PatchType::kMerge) {
      json::apply_merge_patch(scale, body);
    } else if (const Status done = json::apply_json_patch(scale, body); !done) {
      return refuse(bad_request(done.error().message));
    }
    return apply_scale(*call.stored, scale, at);
  };
  const Object scaled = TRY_API(objects_.modify(object_target, change, how));
  return Reply{.body = json::to_string(scale_of(*call.stored, *scaled)) + "\n"};
}

Answer<Frontend::Reply> Frontend::serve_pod_action(Call& call) {
  Target pod = target(call);
  pod.subresource.clear();
  const std::string& action = call.request.subresource;
  if (action == "log") {
    TRY_API(objects_.get(pod));
    return Reply{.body = "", .content_type = "text/plain"};
  }
  const WriteContext how = TRY_API(context(call));
  const value body = TRY_API(parse_body(call.http));
  if (action == "binding") {
    TRY_API(bind_pod(objects_, pod, string_at(body, {"target", "name"}), how));
  } else if (action == "eviction") {
    DeleteOptions options;
    if (json::find(body, {"deleteOptions", "gracePeriodSeconds"}) != nullptr) {
      options.grace_period_seconds = json::int_at(body, {"deleteOptions", "gracePeriodSeconds"});
    }
    options.uid = string_at(body, {"deleteOptions", "preconditions", "uid"});
    options.resource_version = string_at(body, {"deleteOptions", "preconditions", "resourceVersion"});
    WriteContext eviction = how;
    for (const value& entry : json::array_at(body, {"deleteOptions", "dryRun"}))
      eviction.dry_run = eviction.dry_run || entry == "All";
    TRY_API(evict_pod(objects_, pod, options, eviction));
  } else {
    TRY_API(objects_.get(pod));
    value token = body;
    json::ensure(token, {"status"}) = object{{"token", "minicluster." + pod.ns + "." + pod.name},
                                             {"expirationTimestamp", format_rfc3339(objects_.runtime().now() + 1h)}};
    return Reply{.status = 201, .body = json::to_string(token) + "\n"};
  }
  return Reply{.status = 201, .body = json::to_string(success(nullptr, "", "")) + "\n"};
}

}  // namespace tenon::kubesim::apiserver
