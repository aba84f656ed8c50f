// Batcher: gathers triggers into batches, so that one decision serves many pods. A batch starts with the first trigger
// and closes when none has come for `idle`, or `max` after it started.
// parity: karpenter pkg/controllers/provisioning/batcher.go
// Thread rule: trigger() from any thread; wait() from one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "runtime/runtime.h"

namespace tenon::runtime {

class Batcher {
 public:
  Batcher(Runtime& runtime, Duration idle, Duration max)
      : runtime_(runtime), idle_(idle), max_(max), changed_(runtime.make_event()) {}

  // A trigger already in the open batch does not keep it open.
  void trigger(const std::string& id);
  // Blocks until a batch has closed; false once stop is requested.
  bool wait(const std::stop_token& stop);

 private:
  Runtime& runtime_;
  const Duration idle_, max_;
  const std::unique_ptr<Event> changed_;
  std::mutex mutex_;
  std::set<std::string> open_;
};

}  // namespace tenon::runtime
