// `tenon plan --after-edit`: the effect of an edit of NodePools and EC2NodeClasses on existing nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/plan/plan_input.h"

namespace tenon::cli {

struct DriftedNode {
  std::string node, reason;
  std::string field = {};  // the edited field, if known
};

// Returns the nodes of `after` (the edit applied) that no longer match their NodePool or node class; their claims get
// the Drifted condition, so that a plan in disrupt mode replaces them. By name. parity: karpenter
// pkg/controllers/nodeclaim/disruption/drift.go (order of the reasons)
std::vector<DriftedNode> mark_drifted(const PlanInput& before, PlanInput& after);

}  // namespace tenon::cli
