// Taints and tolerations. parity: k8s.io/api core/v1 ToleratesTaint; karpenter pkg/scheduling/taints.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace tenon::model {

struct Taint {
  std::string key, value, effect;  // NoSchedule, PreferNoSchedule, NoExecute
  std::optional<Instant> added_at;
  friend bool operator==(const Taint&, const Taint&) = default;
  bool same(const Taint& other) const { return key == other.key && effect == other.effect; }
};

struct Toleration {
  std::string key, op, value, effect;  // op: Equal (default, may be empty), Exists, Lt, Gt
  std::optional<int64_t> toleration_seconds;
  friend bool operator==(const Toleration&, const Toleration&) = default;
  bool tolerates(const Taint& taint) const;
};

// Returns the first taint (NoSchedule or NoExecute, optionally PreferNoSchedule) that no toleration tolerates, or null.
const Taint* first_untolerated(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations,
                               bool count_prefer_no_schedule = false);
// Returns whether a taint is set only while a node starts: not-ready, unreachable, uninitialized, readiness.k8s.io/…,
// karpenter.sh/unregistered.
bool is_ephemeral_taint(const Taint& taint);
std::string to_string(const Taint& taint);  // "dedicated=gpu:NoSchedule"

}  // namespace tenon::model
