// A Fence stops the requests of this process: after it is closed, or after its deadline, no request starts. A leader
// that loses its lease closes it first. Because of the deadline, it also works when the thread that renews the lease
// hangs, or when the whole process was suspended.
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
  // Permits requests until `until`; without a call, always. Returns false if the fence has ended; it does not reopen.
  bool extend(Instant until);
  // Closes it permanently. The first reason is kept.
  void close(std::string why);
  // Errors: kCancelled, with the reason.
  Status check() const;

 private:
  Status check_locked() const;

  runtime::Runtime& runtime_;
  mutable std::mutex mutex_;
  Instant until_ = kNever;
  std::string closed_;  // the reason; empty: open
};

// Checks the fence at the start of each request, including each retry and each batch. Borrows both.
// Errors: those of `inner`; kCancelled: the fence has ended.
std::unique_ptr<Transport> make_fenced_transport(Transport& inner, const Fence& fence);

}  // namespace tenon::http
