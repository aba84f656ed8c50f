// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/sim_process.h"

#include <utility>

#include "base/check.h"

namespace tenon::cli {
namespace {
constexpr Duration kRestart = 1s;  // of a container that ended
}  // namespace

SimProcess::SimProcess(runtime::SimRuntime& sim, std::string name, Make make)
    : sim_(sim), name_(std::move(name)), make_(std::move(make)) {}

SimProcess::~SimProcess() { crash(); }

Status SimProcess::start() {
  if (parts_) return ok();
  life_.reset();
  parts_ = TRY(make_());
  life_ = sim_.spawn(name_, [this](const std::stop_token& stop) { live(stop); });
  return ok();
}

void SimProcess::live(const std::stop_token& stop) {
  while (true) {
    const auto end = parts_->replica->run(stop);
    parts_.reset();
    if (end == controllers::Replica::End::kStopped || stop.stop_requested()) return;
    ++leases_lost_;
    if (sim_.sleep_for(kRestart, stop) == runtime::Wake::kStopped) return;
    auto made = make_();
    CHECK(made.has_value(), made ? "" : made.error().message);
    parts_ = std::move(*made);
  }
}

void SimProcess::crash() {
  if (parts_) parts_->replica->abandon();
  life_.reset();
}

void SimProcess::terminate() {
  if (life_) life_->request_stop();
}

}  // namespace tenon::cli
