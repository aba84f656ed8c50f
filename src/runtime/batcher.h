// Batcher: collects triggers into batches, so that one decision serves many pods. A batch starts with the first trigger
// and closes after `idle` without a new one, or `max` after its start.
// parity: karpenter pkg/controllers/provisioning/batcher.go
// Thread rule: trigger() and remind() from any thread; wait() from one.
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

  // An id that is already in the open batch does not extend the batch.
  void trigger(const std::string& id);
  // As trigger(), for an id of an earlier batch: it starts a batch but does not extend the open one, for which new ids
  // wait. In Karpenter it extends the batch.
  void remind(const std::string& id);
  // Blocks until a batch closes; returns false if stop is requested.
  bool wait(const std::stop_token& stop);

 private:
  Runtime& runtime_;
  const Duration idle_, max_;
  const std::unique_ptr<Event> changed_;
  std::mutex mutex_;
  std::set<std::string> open_;
};

}  // namespace tenon::runtime
