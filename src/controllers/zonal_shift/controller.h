// Reads every kInterval which zones have a zonal shift (traffic shifted away), and emits events on the NodePools that
// could launch there. The provider handles the consequences for launches and instances. parity: arczonalshift
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cloud/health_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"

namespace tenon::controllers::zonal_shift {

inline constexpr Duration kInterval = 30s;

struct View {
  std::vector<cloud::Zone> before, now;
  std::vector<std::shared_ptr<const model::NodePool>> pools;
};
// Returns events for shifts that began or ended. A zone without a known name may belong to any pool. Pure.
plan::Plan decide(const View& view);

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::HealthReader& health) : context_(context), health_(health) {}
  void start() override;
  void stop() override;

 private:
  Status poll(const std::stop_token& stop);

  Context& context_;
  cloud::HealthReader& health_;
  std::vector<cloud::Zone> shifted_;  // used only by the one thread of loop_
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::zonal_shift
