// SPDX-License-Identifier: Apache-2.0
#include "runtime/watchdog.h"

#include <time.h>

#include "base/check.h"

namespace tenon::runtime {

Watchdog::Watchdog(Duration patience, std::function<Sample()> sample)
    : patience_(patience), sample_(std::move(sample)), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  over_.notify_one();
  thread_.join();
}

Watchdog::Shift::Shift(Watchdog& watchdog) : watchdog_(watchdog) {
  const std::lock_guard lock(watchdog_.mutex_);
  const bool same = watchdog_.shifts_ == 0 || pthread_equal(watchdog_.worker_, pthread_self()) != 0;
  CHECK(same, "a second thread does the work of the one that is watched");
  ++watchdog_.shifts_;
  watchdog_.worker_ = pthread_self();
}

Watchdog::Shift::~Shift() {
  const std::lock_guard lock(watchdog_.mutex_);
  --watchdog_.shifts_;
}

void Watchdog::run() {
  pthread_setname_np(pthread_self(), "watchdog");
  uint64_t seen_steps = 0;
  int64_t seen_cpu = -1;  // ns
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, patience_, [this] { return ends_; })) {
    if (shifts_ == 0) continue;  // while a shift is active, the worker cannot end during the check: that takes mutex_
    clockid_t clock{};
    timespec cpu{};
    if (pthread_getcpuclockid(worker_, &clock) != 0 || clock_gettime(clock, &cpu) != 0) continue;
    const int64_t used = int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec;
    const Sample now = sample_();
    CHECK(now.at_fault.empty() || now.steps != seen_steps || used != seen_cpu, now.at_fault);
    seen_steps = now.steps;
    seen_cpu = used;
  }
}

}  // namespace tenon::runtime
