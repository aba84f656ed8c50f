// SIGINT and SIGTERM (and SIGHUP, which this process sends itself) as something to wait for. Make one before the first
// thread, so that every thread inherits the mask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <ctime>
#include <optional>

namespace tenon::cli {

class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a peer that has gone is an error of the write
  }
  // The signal, or nothing after the time has passed.
  std::optional<int> wait(time_t seconds) const {
    const timespec timeout{seconds, 0};
    const int signal = ::sigtimedwait(&set_, nullptr, &timeout);
    if (signal < 0) return std::nullopt;
    return signal;
  }

  int wait_for_any() const {
    int signal = 0;
    ::sigwait(&set_, &signal);
    return signal;
  }

 private:
  sigset_t set_;
};

}  // namespace tenon::cli
