// Functions that read and change Kubernetes objects as JSON, shared by all simulated components. Pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace tenon::kubesim {

// ns is empty for cluster-scoped objects.
struct ObjectKey {
  std::string ns, name;
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

ObjectKey key_of(const boost::json::value& object);
std::string_view name_of(const boost::json::value& object);
std::string_view namespace_of(const boost::json::value& object);
std::string_view uid_of(const boost::json::value& object);
const boost::json::object& labels_of(const boost::json::value& object);
std::string_view annotation(const boost::json::value& object, std::string_view name);
bool is_deleting(const boost::json::value& object);
// Returns the epoch if the field is absent or invalid.
Instant time_at(const boost::json::value& object, std::initializer_list<std::string_view> path);

// The owner reference with `controller: true`, or null.
const boost::json::value* controller_of(const boost::json::value& object);
std::string_view controller_uid(const boost::json::value& object);
struct TypeMeta {
  std::string_view api_version, kind;
};
// Returns an owner reference to `owner` with controller and blockOwnerDeletion set.
boost::json::value controller_reference(const boost::json::value& owner, TypeMeta type);

struct Condition {
  std::string_view type, status, reason, message;
};
const boost::json::value* find_condition(const boost::json::value& object, std::string_view type);
bool condition_is(const boost::json::value& object, std::string_view type, std::string_view status);
// Sets status.conditions[type]; lastTransitionTime changes only with the status. Returns true if anything changed.
bool set_condition(boost::json::value& object, const Condition& condition, Instant now);
bool remove_condition(boost::json::value& object, std::string_view type);
// Returns status, created if it is missing.
boost::json::object& status_of(boost::json::value& object);
// Sets status.<field>. A zero removes the field, as Go's omitempty does.
void set_count(boost::json::value& object, std::string_view field, int64_t count);

// Succeeded or Failed.
bool pod_is_terminal(const boost::json::value& pod);
bool pod_is_ready(const boost::json::value& pod);
// Neither terminal nor being deleted; workload controllers count these pods.
bool pod_is_active(const boost::json::value& pod);
std::string_view node_name_of(const boost::json::value& pod);
// The time at which a ready pod becomes available (ready for min_ready_seconds); std::nullopt if it is not ready.
std::optional<Instant> available_at(const boost::json::value& pod, int64_t min_ready_seconds);

// Resolves "25%" of total, or a plain number. round_up is for maxSurge and minAvailable, not for maxUnavailable.
int64_t int_or_percent(const boost::json::value* value, int64_t total, bool round_up, int64_t otherwise);

}  // namespace tenon::kubesim
