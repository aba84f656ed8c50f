// Loop: reconciles the objects of one controller. Workers take keys from a queue; the result of reconcile() says when
// to reconcile the key again. An error backs the key off from base_delay. A conflict (a decision on stale data) backs
// it off from 20 ms and is not logged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "controllers/loop_metrics.h"
#include "log/log.h"
#include "runtime/work_queue.h"

namespace tenon::controllers {

// When to reconcile a key again without a change; std::nullopt: not.
using Next = std::optional<Duration>;

class Loop {
 public:
  using Reconcile = std::function<Result<Next>(const std::string& key, const std::stop_token& stop)>;
  struct Options {
    std::string name;
    int workers = 1;
    Duration base_delay = 100ms;  // of the back-off after an error
    Duration max_delay = 10s;
    tenon::log::Logger log;                          // every error except conflicts and cancellation
    std::shared_ptr<LoopMetrics> metrics = nullptr;  // null: none
  };
  Loop(runtime::Runtime& runtime, Options options, Reconcile reconcile);
  ~Loop();  // stops

  void start();
  void stop();
  void add(const std::string& key) {
    meter_.added();
    queue_.add(key);
  }

 private:
  void work(const std::stop_token& stop);

  runtime::Runtime& runtime_;
  const Options options_;
  const Reconcile reconcile_;
  runtime::WorkQueue queue_;
  LoopMeter meter_;  // after the queue, which it reads
  std::vector<std::unique_ptr<runtime::Task>> workers_;
};

}  // namespace tenon::controllers
