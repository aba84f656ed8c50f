// The gauge karpenter_scheduler_unfinished_work_seconds: how long a scheduling decision that runs now has taken. It
// shows a decision that hangs, which the histogram of finished ones does not.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "metrics/registry.h"
#include "runtime/runtime.h"

namespace tenon::controllers {

class UnfinishedWork : public metrics::Collector {
 public:
  // Borrows both.
  UnfinishedWork(runtime::Runtime& runtime, metrics::Registry& registry);
  // Returns the label scheduling_id of the decision, unique in this process.
  std::string begin(const std::string& controller);
  void end(const std::string& scheduling_id);
  void before_text() override;
  void after_text() override { gauge_.remove_matching({}); }

 private:
  struct Run {
    std::string controller;
    Instant began;
  };
  runtime::Runtime& runtime_;
  metrics::Gauge& gauge_;
  std::mutex mutex_;
  uint64_t number_ = 0;
  std::map<std::string, Run> runs_;  // by scheduling_id
};

}  // namespace tenon::controllers
