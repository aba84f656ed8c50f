// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/queue.h"

#include "runtime/backoff.h"

namespace tenon::kubesim {
namespace {

constexpr Duration kFirstBackoff = 1s;
constexpr Duration kLongestBackoff = 10s;
constexpr Duration kFlushAfter = 5min;  // a waiting pod is retried after this time even without a change

}  // namespace

Instant SchedulingQueue::retry_at(const Entry& entry) {
  return entry.failed_at + runtime::backoff_pause(kFirstBackoff, kLongestBackoff, entry.attempts);
}

void SchedulingQueue::move(Entry& entry, State state) {
  if (entry.state == State::kReady) ready_.erase(rank(entry));
  entry.state = state;
  ++entry.turn;
  if (state == State::kReady) ready_.insert(rank(entry));
}

void SchedulingQueue::retry(Entry& entry, Instant now) {
  if (entry.attempts == 0 || retry_at(entry) <= now) {
    move(entry, State::kReady);
  } else {
    move(entry, State::kBackingOff);
    timers_.add(retry_at(entry), {entry.pod->key, entry.turn});
  }
}

void SchedulingQueue::add(const Pod& pod, Instant now) {
  const auto known = entries_.find(pod->key);
  if (known != entries_.end() && known->second.pod->uid != pod->uid) remove(pod->key);
  auto [at, is_new] = entries_.try_emplace(pod->key);
  Entry& entry = at->second;
  const bool was_ready = !is_new && entry.state == State::kReady;
  if (is_new) {
    entry.arrival = ++arrivals_;
    entry.state = State::kWaiting;
  } else {
    move(entry, State::kWaiting);  // under its old rank
  }
  entry.pod = pod;
  if (pod->gated) return;
  if (was_ready)
    move(entry, State::kReady);
  else
    retry(entry, now);
}

void SchedulingQueue::refresh(const Object& object) {
  const auto at = entries_.find(key_of(*object));
  if (at == entries_.end() || at->second.pod->uid != uid_of(*object)) return;
  auto copy = std::make_shared<PodInfo>(*at->second.pod);
  copy->object = object;
  at->second.pod = std::move(copy);
}

void SchedulingQueue::remove(const ObjectKey& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  if (at->second.state == State::kReady) ready_.erase(rank(at->second));
  entries_.erase(at);
}

std::optional<SchedulingQueue::Pod> SchedulingQueue::pop() {
  if (ready_.empty()) return std::nullopt;
  Entry& entry = entries_.at(std::get<2>(*ready_.begin()));
  move(entry, State::kInFlight);
  return entry.pod;
}

void SchedulingQueue::failed(const Pod& pod, Instant now) {
  const auto at = entries_.find(pod->key);
  if (at == entries_.end() || at->second.pod->uid != pod->uid) return;
  Entry& entry = at->second;
  ++entry.attempts;
  entry.failed_at = now;
  move(entry, State::kWaiting);
  timers_.add(now + kFlushAfter, {pod->key, entry.turn});
}

void SchedulingQueue::wake(Instant now, const std::function<bool(const PodInfo&)>& worth_it) {
  for (auto& [key, entry] : entries_)
    if (entry.state == State::kWaiting && !entry.pod->gated && worth_it(*entry.pod)) retry(entry, now);
}

void SchedulingQueue::tick(Instant now) {
  while (const auto timer = timers_.pop(now)) {
    const auto at = entries_.find(timer->key);
    if (at == entries_.end() || at->second.turn != timer->turn || at->second.pod->gated) continue;
    move(at->second, State::kReady);
  }
}

Instant SchedulingQueue::next_due() const { return timers_.next(); }

}  // namespace tenon::kubesim
