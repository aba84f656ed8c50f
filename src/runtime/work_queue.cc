// SPDX-License-Identifier: Apache-2.0
#include "runtime/work_queue.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::runtime {

WorkQueue::WorkQueue(Runtime& runtime, Options options)
    : runtime_(runtime), options_(options), changed_(runtime.make_event()) {}

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
  {
    const std::lock_guard lock(mutex_);
    put(key, due);
  }
  changed_->notify();
}

void WorkQueue::add_rate_limited(const std::string& key) {
  Duration delay = options_.base_delay;
  {
    const std::lock_guard lock(mutex_);
    const int failures = failures_[key]++;
    for (int i = 0; i < failures && delay < options_.max_delay; ++i) delay *= 2;
  }
  add_after(key, std::min(delay, options_.max_delay));
}

void WorkQueue::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
}

std::optional<std::string> WorkQueue::get(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const uint64_t seen = changed_->version();
    const Instant now = runtime_.now();
    Instant next = kNever;
    {
      const std::lock_guard lock(mutex_);
      if (!order_.empty() && order_.begin()->first <= now) {
        const std::string key = order_.begin()->second;
        order_.erase(order_.begin());
        due_.erase(key);
        working_.insert(key);
        return key;
      }
      if (!order_.empty()) next = order_.begin()->first;
    }
    if (changed_->wait(seen, next, stop) == Wake::kStopped) break;
  }
  return std::nullopt;
}

void WorkQueue::done(const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    CHECK(working_.erase(key) == 1, key);
    const auto again = again_.find(key);
    if (again == again_.end()) return;
    const Instant due = again->second;
    again_.erase(again);
    put(key, due);
  }
  changed_->notify();
}

size_t WorkQueue::size() const {
  const std::lock_guard lock(mutex_);
  return due_.size() + again_.size();
}

}  // namespace tenon::runtime
