// What is wrong with how a NodePool or a pod asks to be disrupted: each is told on its object, and all else is planned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/plan_documents.h"
#include "scheduling/snapshot.h"

namespace tenon::cli {

// A NodePool document whose malformed durations under spec.disruption are replaced by what disrupts nothing; a warning
// for each goes to `warnings`.
Document without_malformed_durations(const Document& pool, std::vector<std::string>& warnings);

// Whether a PodDisruptionBudget says how many pods it protects: one of minAvailable and maxUnavailable, a number or a
// percentage of at most 100. Errors: kInvalid, with file, object and field. parity: k8s policy/validation
Status check_disruption_budget(const Document& budget);

// Budgets that allow nothing since they are malformed, and annotations that are ignored; a sentence each.
std::vector<std::string> disruption_warnings(const scheduling::Snapshot& snapshot);

}  // namespace tenon::cli
