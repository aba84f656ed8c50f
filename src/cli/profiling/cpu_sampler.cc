// The handler uses only what is allowed in a signal handler: atomics, memory that exists, and the unwinder of libgcc,
// which since gcc 12 and glibc 2.35 finds unwind tables without a lock (_dl_find_object). The signal of ITIMER_PROF is
// sent to the thread whose CPU time expires the timer, so that no thread that sleeps is woken.
// SPDX-License-Identifier: Apache-2.0
#include "cli/profiling/cpu_sampler.h"

#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>

namespace tenon::cli {
namespace {

constexpr size_t kMaxDepth = 64;        // frames of a stack
constexpr size_t kSlots = 4096;         // samples between two drains
constexpr Duration kDrainEvery = 50ms;  // at 10 ms and 64 threads: 320 samples

struct Slot {
  std::atomic<uint32_t> depth{0};  // 0: free
  std::array<uintptr_t, kMaxDepth> frames;
};

struct Sampling {
  std::array<Slot, kSlots> slots;
  std::atomic<size_t> next{0};
  std::atomic<int64_t> lost{0};
};

std::atomic<Sampling*> sampling_now{nullptr};
std::atomic<int> handlers_running{0};

uintptr_t interrupted_at(void* context) {
  const auto* user = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<uintptr_t>(user->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(user->uc_mcontext.pc);
#else
#error "the register that holds the address of the code that ran"
#endif
}

struct Walk {
  Slot& slot;
  uintptr_t from;  // frames before it are those of the handler
  uint32_t depth = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const uintptr_t at = _Unwind_GetIP(context);
  if (walk.depth == 0 && at != walk.from) return _URC_NO_REASON;
  if (at == 0 || walk.depth == kMaxDepth) return _URC_END_OF_STACK;
  // A return address is behind its call, perhaps in another function.
  walk.slot.frames[walk.depth] = walk.depth == 0 ? at : at - 1;
  ++walk.depth;
  return _URC_NO_REASON;
}

void on_signal(int, siginfo_t*, void* context) {
  const int saved = errno;
  ++handlers_running;
  if (Sampling* now = sampling_now.load()) {
    Slot& slot = now->slots[now->next++ % kSlots];
    if (slot.depth.load(std::memory_order_acquire) != 0) {
      ++now->lost;
    } else {
      Walk walk{slot, interrupted_at(context)};
      _Unwind_Backtrace(step, &walk);
      if (walk.depth == 0) {  // no unwind table covers the code
        slot.frames[0] = walk.from;
        walk.depth = 1;
      }
      slot.depth.store(walk.depth, std::memory_order_release);
    }
  }
  --handlers_running;
  errno = saved;
}

void drain(Sampling& sampling, CpuProfile& profile) {
  for (Slot& slot : sampling.slots) {
    const uint32_t depth = slot.depth.load(std::memory_order_acquire);
    if (depth == 0) continue;
    ++profile.samples[Stack(slot.frames.begin(), slot.frames.begin() + depth)];
    slot.depth.store(0, std::memory_order_release);
  }
}

bool set_timer(Duration period) {
  const timeval every{0, std::chrono::duration_cast<std::chrono::microseconds>(period).count()};
  const itimerval timer{every, every};
  return ::setitimer(ITIMER_PROF, &timer, nullptr) == 0;
}

}  // namespace

Result<CpuProfile> sample_cpu(Duration length, const std::stop_token& stop) {
  const auto sampling = std::make_unique<Sampling>();
  Sampling* expected = nullptr;
  if (!sampling_now.compare_exchange_strong(expected, sampling.get()))
    return fail(Code::kUnavailable, "another CPU profile is being taken");
  struct sigaction action{}, before{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGPROF, &action, &before);
  CpuProfile profile;
  profile.period = kSamplePeriod;
  set_timer(kSamplePeriod);
  const auto begun = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::condition_variable_any changed;
  for (auto left = length; left > Duration::zero() && !stop.stop_requested();) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, std::min(left, kDrainEvery), [] { return false; });
    drain(*sampling, profile);
    left = length - (std::chrono::steady_clock::now() - begun);
  }
  set_timer(Duration::zero());
  sampling_now = nullptr;
  while (handlers_running != 0) std::this_thread::yield();  // a handler may still fill a slot
  drain(*sampling, profile);
  // A signal that is still pending must not end the process: the handler stays in place of the default action.
  if (before.sa_handler != SIG_DFL) ::sigaction(SIGPROF, &before, nullptr);
  profile.lost = sampling->lost;
  profile.lasted = std::chrono::steady_clock::now() - begun;
  if (stop.stop_requested()) return fail(Code::kCancelled, "the CPU profile was stopped");
  return profile;
}

}  // namespace tenon::cli
