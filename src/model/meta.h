// Metadata and conditions, which every object has. Value types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace tenon::model {

using StringMap = std::map<std::string, std::string, std::less<>>;

inline std::string_view lookup(const StringMap& map, std::string_view key) {
  const auto it = map.find(key);
  return it == map.end() ? std::string_view{} : std::string_view(it->second);
}

struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool controller = false;
  bool block_owner_deletion = false;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string name, ns, uid, resource_version, generate_name;
  int64_t generation = 0;
  Instant created_at{};
  std::optional<Instant> deleted_at;  // deletionTimestamp
  StringMap labels, annotations;
  std::vector<std::string> finalizers;
  std::vector<OwnerReference> owners;

  bool deleting() const { return deleted_at.has_value(); }
  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

// metav1.Condition; status is "True", "False" or "Unknown".
struct Condition {
  std::string type, status, reason, message;
  Instant last_transition{};
  int64_t observed_generation = 0;
  friend bool operator==(const Condition&, const Condition&) = default;
};

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);
bool condition_is(const std::vector<Condition>& conditions, std::string_view type, std::string_view status);
// Sets or adds a condition. The transition time changes only if the status changes. Returns whether anything changed.
bool set_condition(std::vector<Condition>& conditions, Condition condition);

}  // namespace tenon::model
