// Every status condition that the controllers write: docs/reference/conditions.md is made of this table, and the
// scenarios compare each condition of their objects with it.
// parity: karpenter pkg/apis/v1 (condition types); provider-aws pkg/apis/v1/ec2nodeclass_status.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tenon::plan {

struct ConditionReason {
  std::string_view status;  // True, False or Unknown
  std::string_view reason;  // several are divided by spaces
  std::string_view meaning;
};
struct ConditionRow {
  std::string_view kind;  // NodeClaim, NodePool, EC2NodeClass, NodeOverlay, CapacityBuffer
  std::string_view type;
  std::string_view meaning;  // of the status True
  std::span<const ConditionReason> reasons;
};
std::span<const ConditionRow> condition_table();

// Returns whether a row has this kind and type, with this status for this reason. A Provisioner counts as NodePool, an
// AWSNodeTemplate as EC2NodeClass.
bool in_condition_table(std::string_view kind, std::string_view type, std::string_view status, std::string_view reason);

}  // namespace tenon::plan
