// SPDX-License-Identifier: Apache-2.0
#include "controllers/consistency/decide.h"

#include <fmt/format.h>

#include "model/condition_set.h"

namespace tenon::controllers::consistency {
namespace {

constexpr Duration kDedupe = 2min;

// Returns one message for each resource that falls short.
std::vector<std::string> shortfalls(const model::NodeClaim& claim, const model::Node& node) {
  std::vector<std::string> found;
  if (!claim.is(model::kInitialized) || claim.meta.deleting()) return found;
  for (const auto& [name, expected] : claim.capacity.entries()) {
    if (expected == 0 || claim.requests.get(name) == 0) continue;
    const int64_t actual = node.capacity.get(name);
    const double percent = 100.0 * static_cast<double>(actual) / static_cast<double>(expected);
    if (percent >= static_cast<double>(kEnoughPercent)) continue;
    found.push_back(fmt::format("expected {} of resource {}, but found {} ({:.1f}% of expected)",
                                model::format_amount(name, expected), name, model::format_amount(name, actual),
                                percent));
  }
  return found;
}

}  // namespace

plan::Plan decide(const model::NodeClaim& before, const model::Node& node, Instant now) {
  plan::Plan plan;
  model::NodeClaim claim = before;
  model::ConditionSet status({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus,
                             now);
  const std::vector<std::string> found = shortfalls(before, node);
  for (const std::string& sentence : found) {
    plan.add(plan::RecordEvent{plan::ref(before), "Warning", "FailedConsistencyCheck", sentence, kDedupe});
  }
  if (found.empty()) {
    status.set_true(model::kConsistentStateFound);
  } else {
    status.set_false(model::kConsistentStateFound, "ConsistencyCheckFailed", "Consistency Check Failed");
  }
  plan.add_if_changed(before, claim);
  return plan;
}

}  // namespace tenon::controllers::consistency
