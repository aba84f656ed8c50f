// The metrics of the controllers' loops and queues, under the names of controller-runtime and client-go
// (controller_runtime_*, workqueue_*). Labels: the controller's name, which is also the name of its queue.
// parity: controller-runtime pkg/internal/controller/metrics, pkg/metrics/workqueue
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "metrics/registry.h"
#include "runtime/runtime.h"

namespace tenon::controllers {

class LoopMeter;

class LoopMetrics : public metrics::Collector {
 public:
  // `registry` is borrowed.
  explicit LoopMetrics(metrics::Registry& registry);
  void before_text() override;  // reads the queues
  void after_text() override {}

 private:
  friend class LoopMeter;

  metrics::Counter &reconciles_, &errors_;
  metrics::Histogram& time_;
  metrics::Gauge &workers_, &active_;
  metrics::Gauge& depth_;
  metrics::Counter &adds_, &retries_;
  metrics::Histogram &waited_, &worked_;
  metrics::Gauge &unfinished_, &longest_;
  std::mutex mutex_;
  std::map<LoopMeter*, std::string> meters_;  // of the loops that exist, with their names
};

// Measures one controller. Shares `metrics`; null: it measures nothing.
class LoopMeter {
 public:
  // `due` returns the number of keys that wait for a worker; called while the metrics are collected. May be empty.
  LoopMeter(runtime::Runtime& runtime, std::shared_ptr<LoopMetrics> metrics, std::string name, int workers,
            std::function<size_t()> due = {});
  ~LoopMeter();
  LoopMeter(const LoopMeter&) = delete;
  LoopMeter& operator=(const LoopMeter&) = delete;

  void added();
  void retried();
  // One reconciliation, which ends with the object. The result is "success" unless result() is called.
  class Run {
   public:
    Run(LoopMeter& meter, Duration waited);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    // error, requeue, requeue_after, success
    void result(const char* name) { result_ = name; }

   private:
    LoopMeter& meter_;
    uint64_t number_ = 0;
    Instant began_;
    const char* result_ = "success";
  };

 private:
  friend class LoopMetrics;
  void collect(Instant now);

  runtime::Runtime& runtime_;
  const std::shared_ptr<LoopMetrics> metrics_;
  const metrics::Labels controller_, queue_;
  const std::function<size_t()> due_;
  std::mutex mutex_;
  uint64_t runs_ = 0;
  std::map<uint64_t, Instant> running_;  // number → start
};

}  // namespace tenon::controllers
