// SPDX-License-Identifier: Apache-2.0
#include "controllers/loop_metrics.h"

#include <algorithm>
#include <utility>

#include "controllers/metrics.h"

namespace tenon::controllers {
namespace {

using metrics::Detail;

// parity: controller-runtime's buckets of reconcile_time_seconds
metrics::Buckets reconcile_buckets() {
  return {{0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,  1.25, 1.5,
           1.75,  2,    2.5,   3,    3.5, 4,    4.5, 5,    6,   7,    8,   9,    10,  15,  20,  25,  30,  40, 50,   60},
          {0.005, 0.025, 0.1, 0.5, 1, 5, 10, 60}};
}

// parity: client-go's buckets of the work queues
metrics::Buckets queue_buckets() { return metrics::exponential_buckets(1e-8, 10, 12); }

}  // namespace

LoopMetrics::LoopMetrics(metrics::Registry& registry)
    : reconciles_(registry.counter(
          {"controller_runtime_reconcile_total", "Reconciliations, by result.", {"controller", "result"}})),
      errors_(registry.counter(
          {"controller_runtime_reconcile_errors_total", "Reconciliations that failed.", {"controller"}})),
      time_(registry.histogram(
          {"controller_runtime_reconcile_time_seconds", "Seconds of one reconciliation.", {"controller"}},
          reconcile_buckets())),
      workers_(registry.gauge({"controller_runtime_max_concurrent_reconciles",
                               "Reconciliations that may run at the same time.",
                               {"controller"}})),
      active_(registry.gauge({"controller_runtime_active_workers", "Reconciliations that run now.", {"controller"}})),
      depth_(registry.gauge({"workqueue_depth", "Keys that wait for a worker.", {"name", "controller"}})),
      adds_(registry.counter({"workqueue_adds_total", "Keys added to a queue.", {"name", "controller"}})),
      retries_(registry.counter(
          {"workqueue_retries_total", "Keys that were queued again after an error.", {"name", "controller"}})),
      waited_(registry.histogram({"workqueue_queue_duration_seconds",
                                  "Seconds that a due key waited for a worker.",
                                  {"name", "controller"},
                                  {},
                                  Detail::kFull},
                                 queue_buckets())),
      worked_(registry.histogram({"workqueue_work_duration_seconds",
                                  "Seconds that the work on a key took.",
                                  {"name", "controller"},
                                  {},
                                  Detail::kFull},
                                 queue_buckets())),
      unfinished_(registry.gauge({"workqueue_unfinished_work_seconds",
                                  "Sum of the seconds that the reconciliations that run now have taken.",
                                  {"name", "controller"}})),
      longest_(registry.gauge({"workqueue_longest_running_processor_seconds",
                               "Seconds of the longest reconciliation that runs now.",
                               {"name", "controller"}})) {}

void LoopMetrics::before_text() {
  const std::lock_guard lock(mutex_);
  for (const auto& [meter, name] : meters_) meter->collect(meter->runtime_.now());
}

LoopMeter::LoopMeter(runtime::Runtime& runtime, std::shared_ptr<LoopMetrics> metrics, std::string name, int workers,
                     std::function<size_t()> due)
    : runtime_(runtime),
      metrics_(std::move(metrics)),
      controller_{{"controller", name}},
      queue_{{"controller", name}, {"name", name}},
      due_(std::move(due)) {
  if (!metrics_) return;
  metrics_->workers_.set(controller_, workers);
  metrics_->errors_.touch(controller_);  // dashboards list the controllers by this metric
  metrics_->adds_.touch(queue_);
  const std::lock_guard lock(metrics_->mutex_);
  metrics_->meters_.emplace(this, std::move(name));
}

LoopMeter::~LoopMeter() {
  if (!metrics_) return;
  const std::lock_guard lock(metrics_->mutex_);
  metrics_->meters_.erase(this);
}

void LoopMeter::added() {
  if (metrics_) metrics_->adds_.add(queue_);
}

void LoopMeter::retried() {
  if (metrics_) metrics_->retries_.add(queue_);
}

void LoopMeter::collect(Instant now) {
  Duration sum{}, longest{};
  size_t active = 0;
  {
    const std::lock_guard lock(mutex_);
    active = running_.size();
    for (const auto& [number, began] : running_) {
      sum += now - began;
      longest = std::max(longest, now - began);
    }
  }
  metrics_->active_.set(controller_, static_cast<double>(active));
  metrics_->depth_.set(queue_, due_ ? static_cast<double>(due_()) : 0);
  metrics_->unfinished_.set(queue_, in_seconds(sum));
  metrics_->longest_.set(queue_, in_seconds(longest));
}

LoopMeter::Run::Run(LoopMeter& meter, Duration waited) : meter_(meter), began_(meter.runtime_.now()) {
  if (!meter_.metrics_) return;
  meter_.metrics_->waited_.observe(meter_.queue_, in_seconds(std::max(waited, Duration::zero())));
  const std::lock_guard lock(meter_.mutex_);
  number_ = ++meter_.runs_;
  meter_.running_.emplace(number_, began_);
}

LoopMeter::Run::~Run() {
  if (!meter_.metrics_) return;
  {
    const std::lock_guard lock(meter_.mutex_);
    meter_.running_.erase(number_);
  }
  LoopMetrics& metrics = *meter_.metrics_;
  const double took = in_seconds(meter_.runtime_.now() - began_);
  metrics.time_.observe(meter_.controller_, took);
  metrics.worked_.observe(meter_.queue_, took);
  metrics::Labels labels = meter_.controller_;
  labels["result"] = result_;
  metrics.reconciles_.add(labels);
  if (std::string_view(result_) == "error") metrics.errors_.add(meter_.controller_);
}

}  // namespace tenon::controllers
