// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_objects.h"

namespace tenon::cli {
namespace {

constexpr Duration kDefaultAge = 1h;  // of an object without a creationTimestamp

}  // namespace

Status finish_meta(const Document& d, model::ObjectMeta& meta, bool namespaced) {
  if (meta.name.empty()) return fail(Code::kInvalid, d.place("metadata.name: missing"));
  if (!namespaced) {
    meta.ns.clear();
  } else if (meta.ns.empty()) {
    meta.ns = "default";
  }
  if (meta.uid.empty()) meta.uid = d.kind + "/" + meta.ns + "/" + meta.name;
  return ok();
}

void give_age(model::ObjectMeta& meta, Instant now) {
  if (meta.created_at == Instant{}) meta.created_at = now - kDefaultAge;
}

}  // namespace tenon::cli
