// SPDX-License-Identifier: Apache-2.0
#include "runtime/work_queue.h"

#include <algorithm>

#include "base/check.h"
#include "runtime/backoff.h"

namespace tenon::runtime {

WorkQueue::WorkQueue(Runtime& runtime, Options options) : runtime_(runtime), options_(options) {}

void WorkQueue::put(const std::string& key, Instant due) {
  auto& target = working_.contains(key) ? again_ : due_;
  const auto [at, is_new] = target.emplace(key, due);
  if (&target == &due_) {
    if (!is_new && at->second <= due) return;
    order_.erase({at->second, key});
    at->second = due;
    order_.emplace(due, key);
  } else {
    at->second = std::min(at->second, due);
  }
}

void WorkQueue::add(const std::string& key) { add_after(key, Duration(0)); }

void WorkQueue::add_after(const std::string& key, Duration delay) {
  const Instant due = runtime_.now() + delay;
  Worker called;
  {
    const std::lock_guard lock(mutex_);
    put(key, due);
    called = whom_to_wake();
  }
  wake(called);
}

void WorkQueue::add_rate_limited(const std::string& key) { add_rate_limited(key, options_.base_delay); }

void WorkQueue::add_rate_limited(const std::string& key, Duration base_delay) {
  int failures = 0;
  {
    const std::lock_guard lock(mutex_);
    failures = ++failures_[key];
  }
  add_after(key, backoff_pause(base_delay, options_.max_delay, failures));
}

void WorkQueue::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
}

// Needs mutex_. Returns the worker to wake, or null. A waiting worker must keep the time of the first key; busy workers
// check it in get().
WorkQueue::Worker WorkQueue::whom_to_wake() {
  if (order_.empty()) return nullptr;
  if (keeper_ && order_.begin()->first >= kept_) return nullptr;
  if (!keeper_ && waiting_.empty()) return nullptr;
  if (!keeper_) {
    keeper_ = std::move(waiting_.back());
    waiting_.pop_back();
  }
  kept_ = Instant{};  // woken once; it then reads the time itself
  return keeper_;
}

void WorkQueue::leave(const Worker& me) {
  std::erase(waiting_, me);
  if (keeper_ == me) keeper_ = nullptr;
}

std::optional<std::string> WorkQueue::take_due(Instant now, Instant& due) {
  if (order_.empty() || order_.begin()->first > now) return std::nullopt;
  due = order_.begin()->first;
  std::string key = order_.begin()->second;
  order_.erase(order_.begin());
  due_.erase(key);
  working_.insert(key);
  return key;
}

std::optional<std::string> WorkQueue::get(const std::stop_token& stop) {
  Instant due;
  return get(stop, due);
}

std::optional<std::string> WorkQueue::get(const std::stop_token& stop, Instant& due) {
  Worker me;
  while (!stop.stop_requested()) {
    uint64_t seen = 0;
    Instant until = kNever;
    Worker next;
    std::optional<std::string> key;
    {
      const std::lock_guard lock(mutex_);
      key = take_due(runtime_.now(), due);
      if (key) {
        if (me) leave(me);
        next = whom_to_wake();
      } else {
        if (!me) {
          me = runtime_.make_event();
          waiting_.push_back(me);
        }
        seen = me->version();
        if (!keeper_) {
          std::erase(waiting_, me);
          keeper_ = me;
        }
        if (keeper_ == me) until = kept_ = order_.empty() ? kNever : order_.begin()->first;
      }
    }
    wake(next);
    if (key) return key;
    if (me->wait(seen, until, stop) == Wake::kStopped) break;
  }
  if (!me) return std::nullopt;
  Worker next;
  {
    const std::lock_guard lock(mutex_);
    leave(me);
    next = whom_to_wake();
  }
  wake(next);
  return std::nullopt;
}

void WorkQueue::done(const std::string& key) {
  Worker called;
  {
    const std::lock_guard lock(mutex_);
    CHECK(working_.erase(key) == 1, key);
    const auto again = again_.find(key);
    if (again == again_.end()) return;
    const Instant due = again->second;
    again_.erase(again);
    put(key, due);
    called = whom_to_wake();
  }
  wake(called);
}

size_t WorkQueue::size() const {
  const std::lock_guard lock(mutex_);
  return due_.size() + again_.size();
}

size_t WorkQueue::due() const {
  const Instant now = runtime_.now();
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (auto at = order_.begin(); at != order_.end() && at->first <= now; ++at) ++count;
  return count;
}

}  // namespace tenon::runtime
