// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/strategy.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/patch.h"

namespace tenon::kubesim::apiserver {
namespace {

using json::value;

value document(const char* text) { return *json::parse(text); }

// Returns `old` with the parts of `next` that a write of the status may change, put together part by part.
value with_status_of(const value& old, const value& next, bool labels_too) {
  value out = old;
  const auto take = [&](std::initializer_list<std::string_view> path) {
    json::erase(out, path);
    if (const value* at = json::find(next, path)) json::ensure(out, path) = *at;
  };
  take({"status"});
  take({"metadata", "managedFields"});
  if (labels_too) take({"metadata", "labels"});
  if (labels_too) take({"metadata", "annotations"});
  return out;
}

// Whether the write changes the status only, as most do, or more.
TEST(Strategy, AWriteOfTheStatusChangesNothingElse) {
  const value old = document(
      R"({"kind":"K","metadata":{"name":"a","labels":{"x":"1"},"managedFields":[1]},"spec":{"n":1},"status":{"s":1}})");
  const std::vector<const char*> changes{R"({"status":{"s":2}})",
                                         R"({"status":{"s":2},"spec":{"n":2}})",
                                         R"({"status":null})",
                                         R"({"more":1,"status":{"s":2}})",
                                         R"({"spec":null})",
                                         R"({"metadata":{"labels":{"x":"2"}},"status":{"s":3}})",
                                         R"({"metadata":{"annotations":{"y":"2"}},"status":{"s":3}})",
                                         R"({"metadata":{"managedFields":[2],"labels":null}})",
                                         R"({"metadata":{"finalizers":["f"]},"status":{"s":2}})",
                                         R"({})"};
  for (const bool pod : {false, true}) {
    ResourceInfo info;
    info.group = pod ? "" : "karpenter.sh";
    info.kind = pod ? "Pod" : "NodeClaim";
    info.traits = Traits::kStatus;
    for (const char* change : changes) {
      value next = old;
      json::apply_merge_patch(next, document(change));
      const value wanted = with_status_of(old, next, pod);
      keep_other_parts(info, "status", old, next);
      EXPECT_EQ(next, wanted) << info.kind << " " << change;
    }
  }
}

}  // namespace
}  // namespace tenon::kubesim::apiserver
