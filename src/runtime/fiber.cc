// SPDX-License-Identifier: Apache-2.0
#include "runtime/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "log/scope.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace tenon::runtime {
namespace {

// As a thread's stack: only touched pages take memory.
constexpr size_t kStackBytes = 8 << 20;

// Notifies the sanitizers of a switch between stacks.
class Notes {
 public:
#ifdef __SANITIZE_THREAD__
  Notes() : fiber_(__tsan_create_fiber(0)) {}
  ~Notes() { __tsan_destroy_fiber(fiber_); }
#endif
  void before_resume([[maybe_unused]] void* stack) {
#ifdef __SANITIZE_THREAD__
    back_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, 0);
#endif
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&outer_, stack, kStackBytes);
#endif
  }
  void after_resume() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(outer_, nullptr, nullptr);
#endif
  }
  void before_give_way([[maybe_unused]] bool for_ever) {
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(back_, 0);
#endif
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &inner_, back_stack_, back_bytes_);
#endif
  }
  void inside_again() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(inner_, &back_stack_, &back_bytes_);
#endif
  }

 private:
#ifdef __SANITIZE_THREAD__
  void* const fiber_;
  void* back_ = nullptr;
#endif
#ifdef __SANITIZE_ADDRESS__
  void *outer_ = nullptr, *inner_ = nullptr;
  const void* back_stack_ = nullptr;
  size_t back_bytes_ = 0;
#endif
};

// The memory of a stack, with an inaccessible guard page below it.
class Memory {
 public:
  Memory() {
    void* at =
        mmap(nullptr, guard_ + kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(at != MAP_FAILED, "no address space for a fiber's stack");
    at_ = static_cast<char*>(at);
    CHECK(mprotect(at_, guard_, PROT_NONE) == 0, "the guard below a fiber's stack");
  }
  ~Memory() {
    if (at_ != nullptr) munmap(at_, guard_ + kStackBytes);
  }
  Memory(Memory&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;
  char* bottom() const { return at_ + guard_; }

 private:
  const size_t guard_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* at_ = nullptr;
};

// The stacks of ended fibers are reused: an allocation costs more than the work of most fibers. Not with sanitizers,
// which keep state about a stack.
thread_local std::vector<Memory> spare_memory;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kMostSpare = 0;
#else
constexpr size_t kMostSpare = 1024;  // stacks
#endif

Memory take_memory() {
  if (spare_memory.empty()) return Memory();
  Memory memory = std::move(spare_memory.back());
  spare_memory.pop_back();
  return memory;
}

}  // namespace

struct Fiber::Stack {
  ~Stack() {
    if (spare_memory.size() < kMostSpare) spare_memory.push_back(std::move(memory));
  }
  char* bottom() const { return memory.bottom(); }

  Memory memory = take_memory();
  ucontext_t here{}, back{};
  const log::Scope* scope = nullptr;  // of the log, while the fiber does not run
  Notes notes;
};

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(std::make_unique<Stack>()) {}

Fiber::~Fiber() { CHECK(!started_ || ended_, "a fiber is destroyed in the middle of its work"); }

void Fiber::resume() {
  CHECK(!ended_, "a fiber that has ended is resumed");
  Stack& stack = *stack_;
  if (!started_) {
    started_ = true;
    CHECK(getcontext(&stack.here) == 0, "getcontext");
    stack.here.uc_stack.ss_sp = stack.bottom();
    stack.here.uc_stack.ss_size = kStackBytes;
    stack.here.uc_link = nullptr;
    const auto self = reinterpret_cast<uintptr_t>(this);
    // makecontext passes arguments of type int only.
    makecontext(&stack.here, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
  }
  stack.notes.before_resume(stack.bottom());
  const log::Scope* const outer = log::Scope::set_current(stack.scope);
  swapcontext(&stack.back, &stack.here);
  stack.scope = log::Scope::set_current(outer);
  stack.notes.after_resume();
}

void Fiber::give_way() {
  Stack& stack = *stack_;
  stack.notes.before_give_way(ended_);
  swapcontext(&stack.here, &stack.back);
  stack.notes.inside_again();
}

void Fiber::enter(unsigned high, unsigned low) {
  reinterpret_cast<Fiber*>(static_cast<uintptr_t>(high) << 32 | low)->main();
}

void Fiber::main() noexcept {
  stack_->notes.inside_again();
  body_();
  body_ = nullptr;
  ended_ = true;
  give_way();
}

}  // namespace tenon::runtime
