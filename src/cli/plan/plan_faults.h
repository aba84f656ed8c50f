// Invalid disruption settings of NodePools and pods: each is reported on its object, and everything else is planned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/documents/plan_documents.h"
#include "scheduling/input/snapshot.h"

namespace tenon::cli {

// Replaces malformed durations under spec.disruption of a NodePool by values that disrupt nothing; adds a warning for
// each to `warnings`.
Document without_malformed_durations(const Document& pool, std::vector<std::string>& warnings);

// Checks that a PodDisruptionBudget states how many pods it protects: one of minAvailable and maxUnavailable, a number
// or a percentage of at most 100. Errors: kInvalid, with file, object and field. parity: k8s policy/validation
Status check_disruption_budget(const Document& budget);

// Returns a message for each budget that allows nothing because it is malformed, and each annotation that is ignored.
std::vector<std::string> disruption_warnings(const scheduling::Snapshot& snapshot);

}  // namespace tenon::cli
