// The status conditions of one object as Karpenter keeps them: dependents, and the root that summarizes them.
// parity: github.com/awslabs/operatorpkg/status (spec of conditions: unknown at first, root derived, sorted by time)
//
//   ConditionSet status({&claim.conditions, claim.meta.created_at, claim.meta.generation}, kNodeClaimStatus, now);
//   status.set_true(kLaunched);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/meta.h"

namespace tenon::model {

struct ConditionKind {
  std::string_view root;
  std::span<const std::string_view> dependents;
};
extern const ConditionKind kNodeClaimStatus;        // Ready of Launched, Registered, Initialized
extern const ConditionKind kNodePoolStatus;         // Ready of ValidationSucceeded, NodeClassReady
extern const ConditionKind kNodeOverlayStatus;      // Ready of ValidationSucceeded
extern const ConditionKind kNodeClassStatus;        // Ready of SubnetsReady, SecurityGroupsReady, AMIsReady, …
extern const ConditionKind kUnreservedClassStatus;  // the same without CapacityReservationsReady

class ConditionSet {
 public:
  struct Object {
    std::vector<Condition>* conditions;  // borrowed
    Instant created_at;
    int64_t generation;
  };
  // Adds the root and the dependents that are missing, with status Unknown and reason AwaitingReconciliation.
  ConditionSet(Object object, const ConditionKind& kind, Instant now);

  void set(std::string_view type, std::string_view status, std::string_view reason, std::string_view message);
  void set_true(std::string_view type) { set(type, "True", type, ""); }
  void set_true(std::string_view type, std::string_view reason) { set(type, "True", reason, ""); }
  void set_false(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, "False", reason, message);
  }
  void set_unknown(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, "Unknown", reason, message);
  }
  // Removes an independent condition.
  void clear(std::string_view type);

 private:
  bool dependent(std::string_view type) const;
  void update_root();
  void put(Condition condition);

  Object object_;
  const ConditionKind& kind_;
  Instant now_;
};

}  // namespace tenon::model
