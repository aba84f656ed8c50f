// Finds selectors that select no pod, neither in the documents nor in a snapshot of the cluster into which they go.
// Without a snapshot, the pods of the cluster are unknown, and this check does not apply. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

#include "cli/validate/finding.h"

namespace tenon::cli {

// Returns the warnings of each document: selectors of PodDisruptionBudgets and Services, and of required pod affinity
// and topology spreads of pods and templates.
std::vector<Findings> find_empty_selectors(const std::vector<const boost::json::value*>& documents,
                                           const std::vector<const boost::json::value*>& snapshot);

}  // namespace tenon::cli
