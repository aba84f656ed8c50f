// SPDX-License-Identifier: Apache-2.0
#include "controllers/unfinished_work.h"

#include <chrono>

namespace tenon::controllers {

UnfinishedWork::UnfinishedWork(runtime::Runtime& runtime, metrics::Registry& registry)
    : runtime_(runtime),
      gauge_(registry.gauge({"karpenter_scheduler_unfinished_work_seconds",
                             "Seconds that a scheduling decision has taken that runs now.",
                             {"controller"},
                             {"scheduling_id"}})) {}

std::string UnfinishedWork::begin(const std::string& controller) {
  const std::lock_guard lock(mutex_);
  std::string id = controller + "-" + std::to_string(++number_);
  runs_.emplace(id, Run{controller, runtime_.now()});
  return id;
}

void UnfinishedWork::end(const std::string& scheduling_id) {
  const std::lock_guard lock(mutex_);
  runs_.erase(scheduling_id);
}

void UnfinishedWork::before_text() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, run] : runs_) {
    gauge_.set({{"controller", run.controller}, {"scheduling_id", id}},
               std::chrono::duration<double>(runtime_.now() - run.began).count());
  }
}

}  // namespace tenon::controllers
