// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/objects.h"

#include <fmt/format.h>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/apiserver/admit/admission.h"
#include "kubesim/apiserver/admit/metadata.h"
#include "kubesim/apiserver/admit/strategy.h"
#include "kubesim/apiserver/base/limits.h"
#include "kubesim/apiserver/kinds/convert.h"
#include "kubesim/apiserver/kinds/crd.h"
#include "kubesim/apiserver/objects/managed_fields.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::string_at;

// Whether a deleted object can be removed: it has no finalizers and no grace period.
bool may_go(const value& object) {
  return is_deleting(object) && json::array_at(object, {"metadata", "finalizers"}).empty() &&
         json::int_at(object, {"metadata", "deletionGracePeriodSeconds"}) == 0 &&
         (string_at(object, {"kind"}) != "Namespace" || json::array_at(object, {"spec", "finalizers"}).empty());
}

// A uid in the body of a PUT is a precondition.
Done check_uid(const ResourceInfo& info, const value& old, const value& next) {
  const std::string_view uid = string_at(next, {"metadata", "uid"}), old_uid = string_at(old, {"metadata", "uid"});
  if (uid.empty() || uid == old_uid) return {};
  return refuse(
      conflict(info, string_at(old, {"metadata", "name"}),
               fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, old_uid)));
}

}  // namespace

Answer<Object> Objects::get(const Target& target) const {
  Object found = store_.get(target.info->storage(), target.key());
  if (!found) return refuse(not_found(*target.info, target.name));
  return found;
}

Done Objects::admit_new(const Target& collection, value& object, const WriteContext& context) {
  const ResourceInfo& info = *collection.info;
  TRY_API(check_type(info, object));
  TRY_API(check_namespace(info, collection.ns, object));
  if (string_at(object, {"metadata", "name"}).empty() && !collection.name.empty()) {
    json::ensure(object, {"metadata", "name"}) = collection.name;
  }
  TRY_API(check_fields(info, object, context));
  TRY_API(stamp_new(info, object, runtime_));
  begin_life(info, object);
  apply_defaults(info, object);
  count_template(info, nullptr, object);
  if (is_definition(info)) {
    establish_definition(object, nullptr);
    add_finalizer(object, kDefinitionFinalizer);
  }
  TRY_API(admit_create(store_, info, object));
  const AdmissionWebhooks::Write write{info, "CREATE", "", nullptr, context.dry_run};
  TRY_API(webhooks_.mutate(write, object));
  std::vector<Cause> causes = validate_metadata(info, object, nullptr);
  for (Cause& cause : validate(info, "", object, nullptr)) causes.push_back(std::move(cause));
  if (!causes.empty()) {
    const std::string_view name = string_at(object, {"metadata", "name"});
    return refuse(
        invalid(info, name.empty() ? string_at(object, {"metadata", "generateName"}) : name, std::move(causes)));
  }
  return webhooks_.validate(write, object);
}

Answer<Object> Objects::create(const Target& collection, value object, const WriteContext& context) {
  TRY_API(admit_new(collection, object, context));
  track_fields(*collection.info, nullptr, object, {context.manager, "", runtime_.now()});
  const StoreKey key = key_of(object);
  if (context.dry_run) {
    if (store_.get(collection.info->storage(), key)) return refuse(already_exists(*collection.info, key.name));
    return std::make_shared<const value>(std::move(object));
  }
  Object stored = store_.commit(collection.info->storage(), key, nullptr, std::move(object));
  if (!stored) return refuse(already_exists(*collection.info, key.name));
  return stored;
}

Done Objects::admit_change(const Target& target, const value& old, value& next, const WriteContext& context) {
  const ResourceInfo& info = *target.info;
  TRY_API(check_type(info, next));
  const std::string_view name = string_at(next, {"metadata", "name"});
  if (!name.empty() && name != target.name) {
    return refuse(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, target.name)));
  }
  TRY_API(check_namespace(info, target.ns, next));
  TRY_API(check_fields(info, next, context));
  TRY_API(carry_over(info, old, next));
  keep_other_parts(info, target.subresource, old, next);
  apply_defaults(info, next);
  if (is_definition(info) && target.subresource.empty()) establish_definition(next, &old);
  TRY_API(admit_update(store_, info, old, next));
  const AdmissionWebhooks::Write write{info, "UPDATE", target.subresource, &old, context.dry_run};
  TRY_API(webhooks_.mutate(write, next));
  std::vector<Cause> causes = validate_metadata(info, next, &old);
  for (Cause& cause : validate(info, target.subresource, next, &old)) causes.push_back(std::move(cause));
  if (!causes.empty()) return refuse(invalid(info, target.name, std::move(causes)));
  TRY_API(webhooks_.validate(write, next));
  if (target.subresource.empty()) count_template(info, &old, next);
  if (info.has(Traits::kGeneration) && target.subresource != "binding" && spec_changed(info, old, next)) {
    json::ensure(next, {"metadata", "generation"}) = json::int_at(old, {"metadata", "generation"}) + 1;
  }
  return {};
}

Answer<Object> Objects::publish(const Target& target, const Before& before, value next, const WriteContext& context) {
  const Object& old = before.converted;
  track_fields(*target.info, old.get(), next, {context.manager, target.subresource, runtime_.now()});
  if (before.raw == old && json::equal(next, *old)) return old;
  if (context.dry_run) return std::make_shared<const value>(std::move(next));
  if (may_go(next)) {
    // As in a real API server, watchers receive no separate event for the last change. The response to that change has
    // the old resourceVersion.
    if (!store_.erase(target.info->storage(), target.key(), before.raw)) return Object();
    value last = std::move(next);
    json::ensure(last, {"metadata", "resourceVersion"}) = string_at(*old, {"metadata", "resourceVersion"});
    return std::make_shared<const value>(std::move(last));
  }
  return store_.commit(target.info->storage(), target.key(), before.raw, std::move(next));
}

Answer<Object> Objects::modify(const Target& target, const Change& change, const WriteContext& context) {
  for (int attempt = 0; attempt < kMaxWriteRaces; ++attempt) {
    const Object raw = store_.get(target.info->storage(), target.key());
    if (!raw) return refuse(not_found(*target.info, target.name));
    // A custom object may have been stored in another version than the one of today.
    const Object old = TRY_API(to_served(*target.info, std::vector<Object>{raw})).front();
    value next = *old;
    TRY_API(change(next));
    TRY_API(admit_change(target, *old, next, context));
    Object stored = TRY_API(publish(target, {raw, old}, std::move(next), context));
    if (stored) return stored;
  }
  return refuse(modified_meanwhile(*target.info, target.name));
}

Answer<Object> Objects::replace(const Target& target, value object, const WriteContext& context) {
  const ResourceInfo& info = *target.info;
  const bool missing = !store_.get(info.storage(), target.key());
  if (missing && info.has(Traits::kCreateOnUpdate) && target.subresource.empty()) {
    return create(target, std::move(object), context);
  }
  return modify(
      target,
      [&](value& at) -> Done {
        TRY_API(check_uid(info, at, object));
        at = object;
        return {};
      },
      context);
}

}  // namespace tenon::kubesim::apiserver
