// Disruption budgets of a NodePool. parity: karpenter pkg/apis/v1/nodepool.go Budget
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace tenon::model {

struct Budget {
  std::vector<std::string> reasons;  // Empty, Underutilized, Drifted; empty: all
  std::string nodes = "10%";         // a count or a percentage
  std::string schedule;              // cron, UTC; empty: always active
  std::optional<Duration> duration;  // of each hit of the schedule
  friend bool operator==(const Budget&, const Budget&) = default;
};

// Returns whether the budget is active now. Errors: kInvalid for a malformed schedule.
Result<bool> budget_active(const Budget& budget, Instant now);
// Returns how many of `total` nodes may be disrupted at once for a reason: the minimum of the active budgets for it.
// Percentages round up. A malformed budget allows none. Without an active budget: INT_MAX.
int allowed_disruptions(const std::vector<Budget>& budgets, std::string_view reason, int total, Instant now);

}  // namespace tenon::model
