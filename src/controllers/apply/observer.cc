// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/observer.h"

#include <algorithm>
#include <utility>

namespace tenon::controllers {

Status Observer::apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token&) {
  if (plan.turn) {
    outcome.turn = services_.ledger.take_turn(*plan.turn);
    outcome.turn_lost = !outcome.turn;
    if (outcome.turn_lost) return fail(Code::kConflict, "another decision was made since the snapshot");
  }
  const std::vector<plan::Proposal> fresh = news(plan.proposals);
  for (const plan::Proposal& one : fresh) {
    services_.log.info("observed: would " + one.message, {.controller = "observer", .node_pool = one.node_pool});
  }
  record(fresh, plan::kWouldLaunch);
  record(fresh, plan::kWouldDisrupt);
  return ok();
}

std::vector<plan::Proposal> Observer::news(const std::vector<plan::Proposal>& proposals) {
  const Instant now = services_.runtime.now();
  std::vector<plan::Proposal> fresh;
  const std::lock_guard lock(mutex_);
  std::erase_if(seen_, [&](const auto& entry) { return entry.second.at <= now - kProposalForgotten; });
  for (const plan::Proposal& one : proposals) {
    Seen& seen = seen_[one.reason + "/" + one.key];
    if (std::exchange(seen.message, one.message) != one.message) fresh.push_back(one);
    seen.at = now;
  }
  while (seen_.size() > kMaxProposals) {
    seen_.erase(std::min_element(seen_.begin(), seen_.end(),
                                 [](const auto& a, const auto& b) { return a.second.at < b.second.at; }));
  }
  return fresh;
}

// One event for all proposals of a plan: the recorder limits the events about one object, and cuts a long message.
void Observer::record(const std::vector<plan::Proposal>& proposals, const std::string& reason) {
  size_t count = 0;
  std::string text;
  for (const plan::Proposal& one : proposals) {
    if (one.reason != reason) continue;
    text += (text.empty() ? "Would " : "; ") + one.message;
    ++count;
  }
  if (count == 0) return;
  if (count > 1) text = std::to_string(count) + " decisions: " + text;
  services_.events.record({{"coordination.k8s.io/v1", "Lease", ns_, lease_, ""}, "Normal", reason, text, 0s});
}

}  // namespace tenon::controllers
