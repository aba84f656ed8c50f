// SPDX-License-Identifier: Apache-2.0
#include "state/ledger.h"

#include <algorithm>

namespace tenon::state {

using scheduling::NodeView;

Ledger::Ledger(runtime::Runtime& runtime, Duration nomination_window)
    : runtime_(runtime), nomination_window_(nomination_window), changes_(runtime.make_event()) {}

uint64_t Ledger::turns() const {
  const std::lock_guard lock(mutex_);
  return turns_;
}

std::optional<Turn> Ledger::take_turn(uint64_t seen) {
  const std::lock_guard lock(mutex_);
  if (in_turn_ || turns_ != seen) return std::nullopt;
  in_turn_ = true;
  turn_since_ = runtime_.now();
  ++turns_;
  return std::optional<Turn>(std::in_place, *this);
}

Turn::~Turn() {
  if (ledger_) ledger_->end_turn();
}

void Ledger::end_turn() {
  {
    const std::lock_guard lock(mutex_);
    in_turn_ = false;
  }
  changes_->notify();
}

void Ledger::nominate(const std::string& name) {
  const std::lock_guard lock(mutex_);
  nominated_until_[name] = runtime_.now() + nomination_window_;
}

bool Ledger::nominated(const std::string& name, Instant now) const {
  const auto it = nominated_until_.find(name);
  return it != nominated_until_.end() && now < it->second;
}

void Ledger::mark(const std::string& claim, const std::string& node) {
  const std::lock_guard lock(mutex_);
  marked_[claim] = node;
}

void Ledger::unmark(const std::string& claim) {
  const std::lock_guard lock(mutex_);
  marked_.erase(claim);
}

std::vector<std::string> Ledger::marked() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> claims;
  for (const auto& [claim, node] : marked_) claims.push_back(claim);
  return claims;
}

void Ledger::annotate(std::vector<NodeView>& views, Instant now) const {
  const std::lock_guard lock(mutex_);
  for (NodeView& view : views) {
    view.nominated =
        (view.node && nominated(view.node->meta.name, now)) || (view.claim && nominated(view.claim->meta.name, now));
    view.marked_for_deletion = view.claim && marked_.contains(view.claim->meta.name);
  }
  std::erase_if(nominated_until_, [&](const auto& entry) { return entry.second <= now; });
}

void Ledger::hold_drain(const std::string& claim, Instant until) {
  const std::lock_guard lock(mutex_);
  held_[claim] = {until, std::nullopt};
}

std::optional<Instant> Ledger::drain_held_until(const std::string& claim) const {
  const std::lock_guard lock(mutex_);
  const auto it = held_.find(claim);
  if (it == held_.end() || runtime_.now() >= it->second.until) return std::nullopt;
  return it->second.until;
}

std::set<std::string> Ledger::held_drains() const {
  const Instant now = runtime_.now();
  std::set<std::string> claims;
  const std::lock_guard lock(mutex_);
  for (const auto& [claim, held] : held_) {
    if (now < held.until) claims.insert(claim);
  }
  return claims;
}

void Ledger::release_drain(const std::string& claim) {
  {
    const std::lock_guard lock(mutex_);
    drop_stale();
    const auto it = held_.find(claim);
    if (it == held_.end()) return;
    std::set<std::string> awaited = open_;
    for (const auto& [name, expected] : expected_) awaited.insert(name);
    if (!awaited.empty()) {
      it->second.awaited = std::move(awaited);
      return;
    }
    held_.erase(it);
  }
  tell_released({claim});
}

std::vector<std::string> Ledger::launch_ended(const std::string& claim) {
  std::vector<std::string> released;
  for (auto it = held_.begin(); it != held_.end();) {
    auto& awaited = it->second.awaited;
    if (awaited && awaited->erase(claim) > 0 && awaited->empty()) {
      released.push_back(it->first);
      it = held_.erase(it);
    } else {
      ++it;
    }
  }
  return released;
}

void Ledger::on_drain_released(std::function<void(const std::string& claim)> handler) const {
  on_released_.push_back(std::move(handler));
}

void Ledger::tell_released(const std::vector<std::string>& claims) const {
  for (const std::string& claim : claims) {
    for (const auto& handler : on_released_) handler(claim);
  }
}

void Ledger::expect(model::NodeClaim claim) {
  const std::string name = claim.meta.name;
  const std::lock_guard lock(mutex_);
  if (cached_.contains(name)) return;
  expected_[name] = {std::make_shared<const model::NodeClaim>(std::move(claim)), runtime_.now() + kExpectFor};
}

std::vector<std::shared_ptr<const model::NodeClaim>> Ledger::expected() const {
  std::vector<std::shared_ptr<const model::NodeClaim>> claims;
  const std::lock_guard lock(mutex_);
  drop_stale();
  for (const auto& [name, expected] : expected_) claims.push_back(expected.claim);
  return claims;
}

void Ledger::claim_changed(const std::string& name, const model::NodeClaim* after) {
  std::vector<std::string> released;
  bool arrived = false;
  {
    const std::lock_guard lock(mutex_);
    arrived = expected_.erase(name) > 0;
    if (after) {
      cached_.insert(name);
    } else {
      cached_.erase(name);
      marked_.erase(name);
      held_.erase(name);
    }
    if (after && !after->meta.deleting() && after->provider_id.empty()) {
      open_.insert(name);
    } else {
      open_.erase(name);
      released = launch_ended(name);
    }
  }
  if (arrived) changes_->notify();
  tell_released(released);
}

// A hold that awaits such a claim lasts until its own time is up.
void Ledger::drop_stale() const {
  const Instant now = runtime_.now();
  std::erase_if(expected_, [&](const auto& entry) { return now >= entry.second.until; });
}

bool Ledger::settled() const {
  const std::lock_guard lock(mutex_);
  drop_stale();
  return !in_turn_ && expected_.empty();
}

std::vector<Obstacle> Ledger::obstacles() const {
  std::vector<Obstacle> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, expected] : expected_)
    out.push_back({"NodeClaim", name, "was created and has not been seen yet", expected.until - kExpectFor});
  if (in_turn_) out.push_back({"Cluster", "", "capacity is being launched or removed", turn_since_});
  return out;
}

Instant Ledger::next_expiry() const {
  Instant next = kNever;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, expected] : expected_) next = std::min(next, expected.until);
  return next;
}

}  // namespace tenon::state
