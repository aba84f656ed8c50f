// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/patches.h"

#include <fmt/format.h>

#include <map>

#include "json/json.h"
#include "json/patch.h"
#include "kubesim/apiserver/kinds/convert.h"
#include "kubesim/apiserver/kinds/shape.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;

// Formats a document like Go's fmt: map[a:1 b:[x y]].
std::string go_text(const value& v) {
  std::string text;
  if (v.is_object()) {
    std::map<std::string_view, const value*> members;
    for (const auto& member : v.get_object()) members.emplace(member.key(), &member.value());
    for (const auto& [key, member] : members)
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", key, go_text(*member));
    return "map[" + text + "]";
  }
  if (v.is_array()) {
    for (const value& item : v.get_array()) text += (text.empty() ? "" : " ") + go_text(item);
    return "[" + text + "]";
  }
  if (v.is_null()) return "<nil>";
  return v.is_string() ? std::string(v.get_string()) : json::to_string(v);
}

}  // namespace

ApiError undecodable_patch(PatchType type, const value& patch, const value& left, const std::string& why) {
  const std::string shown = type == PatchType::kStrategic ? go_text(patch) : json::to_string(left);
  const Cause cause = schema::invalid("patch", value(shown), why);
  return {.code = 422,
          .reason = "Invalid",
          .message = " \"\" is invalid: " + schema::aggregate({cause}),
          .causes = {cause}};
}

Done apply_patch(const ResourceInfo& served, const ResourceInfo& stored, PatchType type, const value& patch,
                 value& at) {
  TRY_API(to_served(served, at));
  switch (type) {
    case PatchType::kJson:
      // A real API server reports the cause only in its log.
      if (!json::apply_json_patch(at, patch)) {
        return refuse({.code = 422,
                       .reason = "Invalid",
                       .message = "the server rejected our request due to an error in our request",
                       .empty_details = true});
      }
      break;
    case PatchType::kMerge:
      if (!patch.is_object()) return refuse(bad_request("a merge patch of an object must be an object"));
      json::apply_merge_patch(at, patch);
      break;
    case PatchType::kStrategic: {
      const Shape* shape = shape_of(served);
      if (served.custom || shape == nullptr) {
        return refuse(
            unsupported_media_type("the body of the request was in an unknown format - accepted media types include: "
                                   "application/json-patch+json, "
                                   "application/merge-patch+json, application/apply-patch+yaml"));
      }
      TRY_API(apply_strategic_merge_patch(at, patch, *shape));
      break;
    }
    case PatchType::kApply: break;  // see server_side_apply.h
  }
  if (!at.is_object()) return refuse(bad_request("the patch does not leave an object"));
  return to_stored(served, stored, at);
}

}  // namespace tenon::kubesim::apiserver
