// Reads every kInterval which zones have a zonal shift (traffic shifted away), and emits events on the NodePools that
// could launch there. The provider handles the consequences for launches and instances. parity: arczonalshift
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "controllers/context.h"

namespace tenon::controllers::zonal_shift {

inline constexpr Duration kInterval = 30s;

struct View {
  std::vector<cloud::Zone> before, now;
  std::vector<std::shared_ptr<const model::NodePool>> pools;
};
// Returns events for shifts that began or ended. A zone without a known name may belong to any pool. Pure.
plan::Plan decide(const View& view);

class Controller {
 public:
  explicit Controller(Context& context) : context_(context) {}
  void start();
  void stop();

 private:
  Status look(const std::stop_token& stop);

  Context& context_;
  std::vector<cloud::Zone> shifted_;  // used only by the one thread of loop_
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::zonal_shift
