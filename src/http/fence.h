// A Fence ends what this process may still ask of others: once it is closed, or its time has run out, no request
// starts. A leader that lost its lease closes it before anything else; and because it also ends by the clock, it holds
// when the thread that renews the lease hangs, or when the whole process was stopped for a while.
//
//   Fence fence(runtime);
//   auto fenced = make_fenced_transport(transport, fence);   // for everything but the lease itself
//   fence.extend(now + 10s);                                            // with every renewal
//   fence.close("lost the lease");
//
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "http/transport.h"
#include "runtime/runtime.h"

namespace tenon::http {

class Fence {
 public:
  explicit Fence(runtime::Runtime& runtime) : runtime_(runtime) {}
  // Requests may start before `until`; without a call, at any time. False: it has ended, and is not opened again.
  bool extend(Instant until);
  // For good. The first reason stays.
  void close(std::string why);
  // Errors: kCancelled, with the reason.
  Status check() const;

 private:
  Status check_locked() const;

  runtime::Runtime& runtime_;
  mutable std::mutex mutex_;
  Instant until_ = kNever;
  std::string closed_;  // why; empty: it is open
};

// Checks the fence at the start of each request: a retry or a batch is one of its own. Both are borrowed.
// Errors: those of `inner`; kCancelled: the fence has ended.
std::unique_ptr<Transport> make_fenced_transport(Transport& inner, const Fence& fence);

}  // namespace tenon::http
