// SPDX-License-Identifier: Apache-2.0
#include "controllers/loop.h"

#include "log/scope.h"

namespace tenon::controllers {
namespace {
// Time until the informer has most likely received the newer object; doubles while it has not, e.g. when its watch is
// cut.
constexpr Duration kAfterConflict = 20ms;
}  // namespace

Loop::Loop(runtime::Runtime& runtime, Options options, Reconcile reconcile)
    : runtime_(runtime),
      options_(std::move(options)),
      reconcile_(std::move(reconcile)),
      queue_(runtime, {.base_delay = options_.base_delay, .max_delay = options_.max_delay}),
      meter_(runtime, options_.metrics, options_.name, options_.workers, [this] { return queue_.due(); }) {}

Loop::~Loop() { stop(); }

void Loop::start() {
  for (int i = 0; i < options_.workers; ++i) {
    workers_.push_back(runtime_.spawn(options_.name, [this](const std::stop_token& stop) { work(stop); }));
  }
}

void Loop::stop() {
  for (const auto& worker : workers_) worker->request_stop();
  workers_.clear();
}

void Loop::work(const std::stop_token& stop) {
  Instant due;
  while (const auto key = queue_.get(stop, due)) {
    const log::Scope scope(log::reconciliation_of(options_.name, *key));
    LoopMeter::Run run(meter_, runtime_.now() - due);
    const Result<Next> next = reconcile_(*key, stop);
    if (next) {
      queue_.forget(*key);
      if (*next) {
        run.result("requeue_after");
        meter_.added();
        queue_.add_after(*key, **next);
      }
    } else if (next.error().code == Code::kConflict) {
      run.result("requeue");
      meter_.added();
      queue_.add_rate_limited(*key, kAfterConflict);
    } else if (next.error().code != Code::kCancelled) {
      run.result("error");
      meter_.added();
      meter_.retried();
      options_.log.failure(options_.name, *key, next.error());
      queue_.add_rate_limited(*key);
    }
    queue_.done(*key);
  }
}

}  // namespace tenon::controllers
