// Ends the process when a working thread sleeps: it waits for a lock that is never released, or makes a blocking call.
// Checks every `patience` of wall time, on its own thread.
//
//   Watchdog watchdog(20s, [&]() -> Watchdog::Sample { return {steps, running, "actor 'a' sleeps"}; });
//   const auto shift = watchdog.watch_me();   // this thread, until the shift ends
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/instant.h"

namespace tenon::runtime {

class Watchdog {
 public:
  struct Sample {
    uint64_t steps = 0;    // number of work steps; while it grows, the check passes
    std::string at_fault;  // the failure message; empty: no work in progress
  };
  // `look` is called on the watchdog's thread.
  Watchdog(Duration patience, std::function<Sample()> sample);
  ~Watchdog();

  class Shift {
   public:
    explicit Shift(Watchdog& watchdog);
    ~Shift();
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;

   private:
    Watchdog& watchdog_;
  };
  // Watches the calling thread until the shift is destroyed. Shifts of one thread may nest; two threads must not be on
  // shift at once.
  [[nodiscard]] Shift watch_me() { return Shift(*this); }

 private:
  void run();

  const Duration patience_;
  const std::function<Sample()> sample_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool ends_ = false;
  int shifts_ = 0;
  pthread_t worker_{};
  std::thread thread_;  // last: it uses the members above
};

}  // namespace tenon::runtime
