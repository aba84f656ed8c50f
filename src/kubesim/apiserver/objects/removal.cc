// Deletion: immediately, after a grace period (pods), or when the last finalizer is removed.
// parity: k8s.io/apiserver/pkg/registry/{rest/delete.go,generic/registry/store.go}, pkg/registry/core/pod/strategy.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/apiserver/admit/metadata.h"
#include "kubesim/apiserver/base/limits.h"
#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::string_at;

bool is_pod(const ResourceInfo& info) { return info.group.empty() && info.kind == "Pod"; }

int64_t grace_of(const ResourceInfo& info, const value& object, const DeleteOptions& options) {
  if (!is_pod(info)) return 0;
  const std::string_view phase = string_at(object, {"status", "phase"});
  if (string_at(object, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded") return 0;
  const int64_t own = json::int_at(object, {"spec", "terminationGracePeriodSeconds"}, kDefaultGraceSeconds);
  const int64_t grace = options.grace_period_seconds.value_or(own);
  return grace < 0 ? 1 : grace;
}

Done check_preconditions(const ResourceInfo& info, const value& object, const DeleteOptions& options) {
  const std::string_view name = string_at(object, {"metadata", "name"});
  const std::string_view uid = string_at(object, {"metadata", "uid"});
  const std::string_view version = string_at(object, {"metadata", "resourceVersion"});
  if (!options.uid.empty() && options.uid != uid) {
    return refuse(conflict(
        info, name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", options.uid, uid)));
  }
  if (!options.resource_version.empty() && options.resource_version != version) {
    return refuse(conflict(info, name,
                           fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in "
                                       "object meta: {}",
                                       options.resource_version, version)));
  }
  return {};
}

void set_collector_finalizers(value& object, std::string_view policy) {
  if (policy.empty()) return;
  drop_finalizer(object, "orphan");
  drop_finalizer(object, "foregroundDeletion");
  if (policy == "Orphan") add_finalizer(object, "orphan");
  if (policy == "Foreground") add_finalizer(object, "foregroundDeletion");
}

// Returns the object marked as deleted: deletionTimestamp, grace period, generation, and the phase of a namespace.
value marked(const ResourceInfo& info, const value& object, int64_t grace, Instant now) {
  value next = object;
  const bool first = !is_deleting(object);
  const int64_t before = json::int_at(object, {"metadata", "deletionGracePeriodSeconds"});
  const bool is_namespace = info.group.empty() && info.kind == "Namespace";
  if (first || grace < before) {
    json::ensure(next, {"metadata", "deletionTimestamp"}) = format_rfc3339(now + std::chrono::seconds(grace));
    if (!is_namespace) json::ensure(next, {"metadata", "deletionGracePeriodSeconds"}) = grace;
  }
  if (first && json::int_at(object, {"metadata", "generation"}) > 0) {
    json::ensure(next, {"metadata", "generation"}) = json::int_at(object, {"metadata", "generation"}) + 1;
  }
  if (first && is_namespace) json::ensure(next, {"status", "phase"}) = "Terminating";
  return next;
}

}  // namespace

Answer<Removal> Objects::remove(const Target& target, const DeleteOptions& options, const WriteContext& context) {
  const ResourceInfo& info = *target.info;
  const bool is_namespace = info.group.empty() && info.kind == "Namespace";
  for (int attempt = 0; attempt < kMaxWriteRaces; ++attempt) {
    const Object old = store_.get(info.storage(), target.key());
    if (!old) return refuse(not_found(info, target.name));
    TRY_API(check_preconditions(info, *old, options));
    const int64_t grace = grace_of(info, *old, options);
    value next = marked(info, *old, grace, runtime_.now());
    set_collector_finalizers(next, options.propagation_policy);
    const bool kept = grace > 0 || !json::array_at(next, {"metadata", "finalizers"}).empty() ||
                      (is_namespace && !json::array_at(next, {"spec", "finalizers"}).empty());
    if (context.dry_run) return Removal{std::make_shared<const value>(std::move(next)), !kept};
    if (kept && json::equal(next, *old)) return Removal{old, false};
    // A pod is marked before its removal, so that watchers receive both events.
    const bool marks = kept || is_pod(info);
    const Object now = marks ? store_.commit(info.storage(), target.key(), old, std::move(next)) : old;
    if (!now) continue;
    if (kept) return Removal{now, false};
    const Object gone = store_.erase(info.storage(), target.key(), now);
    // If the erase fails, another write has changed the marked pod; that write removes the pod (publish).
    if (gone || marks) return Removal{gone ? gone : now, true};
  }
  return refuse(modified_meanwhile(info, target.name));
}

}  // namespace tenon::kubesim::apiserver
