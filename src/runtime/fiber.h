// A function with its own stack that runs in pieces on the thread that resumes it. A switch takes less than a
// microsecond; a switch between threads takes about twenty.
//
//   Fiber fiber([&] { work(); fiber.give_way(); work(); });
//   fiber.resume();   // the first piece
//   fiber.resume();   // the second; then fiber.ended()
//
// Thread rule: all calls of one fiber come from one thread. Do not give way inside a catch block or a destructor that
// an exception runs: exception state belongs to the thread. The sanitizers are notified of each switch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace tenon::runtime {

class Fiber {
 public:
  // Does not start the body, which must not throw.
  explicit Fiber(std::function<void()> body);
  // The fiber must have ended or never run.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body until it gives way or ends. Not callable from inside it.
  void resume();
  // Returns to the caller of resume(). Call it from inside the body.
  void give_way();
  bool ended() const { return ended_; }

 private:
  struct Stack;
  static void enter(unsigned high, unsigned low);
  void main() noexcept;

  std::function<void()> body_;
  const std::unique_ptr<Stack> stack_;
  bool started_ = false, ended_ = false;
};

}  // namespace tenon::runtime
