// SPDX-License-Identifier: Apache-2.0
#include "cli/process/exit_timer.h"

#include <utility>

namespace tenon::cli {

ExitTimer::ExitTimer(std::function<void(const std::string& why)> at_end)
    : at_end_(std::move(at_end)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ExitTimer::arm(Duration within, std::string why) {
  {
    const std::lock_guard lock(mutex_);
    const auto end = Clock::now() + within;
    if (end >= end_) return;
    end_ = end;
    why_ = std::move(why);
  }
  changed_.notify_all();
}

void ExitTimer::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (Clock::now() < end_) {
    const auto known = end_;
    const auto changed = [&] { return end_ != known; };
    if (known == Clock::time_point::max()) {
      changed_.wait(lock, stop, changed);
    } else {
      changed_.wait_until(lock, stop, known, changed);
    }
    if (stop.stop_requested()) return;
  }
  lock.unlock();
  at_end_(why_);
}

}  // namespace tenon::cli
