// Node requirements of pods, and the preferences that they can do without. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "model/requirement.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {

// Returns the node selector and the heaviest remaining preferred term, combined with each required term. Without
// required terms there is one result.
Result<std::vector<model::Requirements>> node_terms(const model::Pod& pod);
// The same without preferences: the nodes where a DaemonSet pod runs.
Result<std::vector<model::Requirements>> daemon_terms(const model::Pod& daemon);
// The pod after each step of relaxation, the strictest first. parity: preferences.go
struct RelaxedPod {
  PodPtr pod;  // preferences turned into requirements; the pod itself if it has none
  RelaxedPreferences relaxed;
};
std::vector<RelaxedPod> relaxations(const PodPtr& pod, PreferencePolicy policy, bool soft_taints);

}  // namespace tenon::scheduling
