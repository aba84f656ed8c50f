// Which parts of a plan a freeze or a cap holds back, and how people learn of it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controllers/apply/applier.h"
#include "controllers/apply/perform.h"

namespace tenon::controllers {
namespace {

constexpr Duration kHoldLogInterval = 1min;  // between log lines with one cause; an attempt may follow every second

// Actions that are performed together or not at all.
struct Range {
  size_t first = 0, last = 0;
  LaunchGate::Group creates;
  bool disrupts = false;  // it starts a disruption command, or a part of one
};

// Returns the actions before the first group, then the groups.
std::vector<Range> ranges_of(const plan::Plan& plan) {
  std::vector<Range> ranges{{0, plan.groups.empty() ? plan.actions.size() : plan.groups.front(), {}, false}};
  for (size_t i = 0; i < plan.groups.size(); ++i) {
    const size_t last = i + 1 == plan.groups.size() ? plan.actions.size() : plan.groups[i + 1];
    ranges.push_back({plan.groups[i], last, {}, false});
  }
  for (Range& range : ranges) {
    for (size_t i = range.first; i < range.last; ++i) {
      if (const auto* create = std::get_if<plan::CreateNodeClaim>(&plan.actions[i]))
        range.creates.push_back(&create->claim);
      range.disrupts = range.disrupts || std::holds_alternative<plan::MarkForDeletion>(plan.actions[i]);
    }
  }
  return ranges;
}

// Judges all ranges; a hold of disruption precedes one of launches.
std::vector<std::optional<state::Hold>> judge(const std::vector<Range>& ranges, const LaunchGate& gate) {
  std::vector<std::optional<state::Hold>> holds(ranges.size());
  std::vector<LaunchGate::Group> groups;
  std::vector<size_t> range_of;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].disrupts) holds[i] = gate.judge_disruption();
    if (holds[i] || ranges[i].creates.empty()) continue;
    groups.push_back(ranges[i].creates);
    range_of.push_back(i);
  }
  if (groups.empty()) return holds;
  auto of_creates = gate.judge_creates(groups);
  for (size_t i = 0; i < groups.size(); ++i) holds[range_of[i]] = std::move(of_creates[i]);
  return holds;
}

}  // namespace

std::optional<Instant> Outcome::retry_at() const {
  std::optional<Instant> first;
  for (const auto& [action, hold] : held) {
    if (hold.until) first = std::min(first.value_or(*hold.until), *hold.until);
  }
  return first;
}

std::map<size_t, size_t> Applier::hold_back(const plan::Plan& plan, Outcome& outcome) {
  std::map<size_t, size_t> held;
  if (!services_.gate) return held;
  const std::vector<Range> ranges = ranges_of(plan);
  const auto holds = judge(ranges, *services_.gate);
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (!holds[i]) continue;
    outcome.held[ranges[i].first] = *holds[i];
    held[ranges[i].first] = i == 0 ? plan.actions.size() : ranges[i].last;  // all others depend on the first range
    for (size_t at = ranges[i].first; at < ranges[i].last; ++at) {
      const auto* create = std::get_if<plan::CreateNodeClaim>(&plan.actions[at]);
      if (create) report(*holds[i], create->claim, create->events);
    }
    if (i == 0) break;
  }
  return held;
}

void Applier::report(const state::Hold& hold, const model::NodeClaim& claim,
                     const std::vector<plan::RecordEvent>& pods) {
  for (const plan::RecordEvent& event : pods) {
    services_.events.record({subject(event.about), "Warning", hold.reason, "Failed to schedule pod, " + hold.message});
  }
  if (!claim.meta.name.empty()) {
    services_.events.record({subject(plan::ref(claim)), "Warning", hold.reason, hold.message});
  } else if (!claim.meta.owners.empty()) {
    const auto& pool = claim.meta.owners.front();
    services_.events.record(
        {{pool.api_version, pool.kind, "", pool.name, pool.uid}, "Warning", hold.reason, hold.message});
  }
  if (callbacks_.held) callbacks_.held(hold);
  const Instant now = services_.runtime.now();
  {
    const std::lock_guard lock(mutex_);
    const auto [at, first] = logged_.emplace(hold.by, now);
    if (!first && now - at->second < kHoldLogInterval) return;
    at->second = now;
  }
  services_.log.warn(hold.message);
}

}  // namespace tenon::controllers
