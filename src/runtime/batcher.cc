// SPDX-License-Identifier: Apache-2.0
#include "runtime/batcher.h"

#include <algorithm>

namespace tenon::runtime {

void Batcher::trigger(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (!open_.insert(id).second) return;
  }
  changed_->notify();
}

void Batcher::remind(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_open = !open_.empty();
    open_.insert(id);
    if (is_open) return;
  }
  changed_->notify();
}

bool Batcher::wait(const std::stop_token& stop) {
  uint64_t seen = 0;
  while (!stop.stop_requested()) {
    seen = changed_->version();
    {
      const std::lock_guard lock(mutex_);
      if (!open_.empty()) break;
    }
    changed_->wait(seen, kNever, stop);
  }
  const Instant end = runtime_.now() + max_;
  while (changed_->wait(seen, std::min(end, runtime_.now() + idle_), stop) == Wake::kNotified && runtime_.now() < end) {
    seen = changed_->version();
  }
  const std::lock_guard lock(mutex_);
  open_.clear();
  return !stop.stop_requested();
}

}  // namespace tenon::runtime
