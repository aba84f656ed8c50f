// `tenon plan --after-edit`: what an edit of NodePools and EC2NodeClasses would do to the nodes that are there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/plan_input.h"

namespace tenon::cli {

struct DriftedNode {
  std::string node, reason;
  std::string field = {};  // whose edit it was, where that is known
};

// The nodes of `after` (the edit applied) that no longer are what their NodePool or node class says; their claims get
// the Drifted condition, so that a disrupting plan replaces them. By name. parity: karpenter
// pkg/controllers/nodeclaim/disruption/drift.go (order of the reasons)
std::vector<DriftedNode> mark_drifted(const PlanInput& before, PlanInput& after);

}  // namespace tenon::cli
