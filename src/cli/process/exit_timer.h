// Ends the process if it does not end by itself in time: a thread that hangs in a request must not keep a replica alive
// that has lost its lease or was requested to stop.
// Thread rule: any thread. Create it before objects that may hang, so that it is destroyed after them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/instant.h"

namespace tenon::cli {

class ExitTimer {
 public:
  // `at_end` is called once from the timer's thread when the time is up; it is expected not to return.
  explicit ExitTimer(std::function<void(const std::string& why)> at_end);
  // Measured by the monotonic clock. Of several calls the earliest end counts.
  void arm(Duration within, std::string why);

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);

  const std::function<void(const std::string&)> at_end_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Clock::time_point end_ = Clock::time_point::max();
  std::string why_;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace tenon::cli
