// SPDX-License-Identifier: Apache-2.0
#include "cli/process/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"

namespace tenon::cli {
namespace {

sigset_t block() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // the write to a closed peer returns an error instead
  return set;
}

int open_signals() {
  const sigset_t set = block();
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

Signals::Signals() : signals_(open_signals()), wake_(::eventfd(0, EFD_CLOEXEC)) {
  CHECK(signals_.get() >= 0 && wake_.get() >= 0, "no descriptors left for signals");
}

std::optional<int> Signals::wait(Duration at_most) const {
  pollfd files[] = {{signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  (void)::poll(files, 2, static_cast<int>(at_most / 1ms));
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void Signals::wake() const {
  woken_ = true;
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

}  // namespace tenon::cli
