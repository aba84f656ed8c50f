// SPDX-License-Identifier: Apache-2.0
#include "controllers/freeze/controller.h"

namespace tenon::controllers::freeze {
namespace {
constexpr const char* kKey = "tenon-freeze";
// The time between two reads of the watch, which reports no change when it is interrupted or resumes. Only the metric
// and the log depend on it: controllers and the LaunchGate ask the watch itself.
constexpr Duration kInterval = 30s;
}  // namespace

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime, {.name = "freeze", .log = context.log},
            [this](const std::string&, const std::stop_token& stop) { return reconcile(stop); }) {
  context_.freeze->on_change([this] { loop_.add(kKey); });
}

void Controller::start() {
  loop_.add(kKey);
  loop_.start();
}

Result<Next> Controller::reconcile(const std::stop_token& stop) {
  const View now{context_.freeze->frozen(), context_.freeze->object()};
  context_.metrics.frozen.set({{"what", "disruption"}}, now.frozen.disruption ? 1 : 0);
  context_.metrics.frozen.set({{"what", "launches"}}, now.frozen.launches ? 1 : 0);
  TRY(context_.applier.apply(decide(told_, now), stop));
  told_ = now;
  return Next{kInterval};
}

}  // namespace tenon::controllers::freeze
