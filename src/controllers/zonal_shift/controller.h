// Asks every half minute which zones traffic is shifted away from, and tells NodePools that could launch there. What
// follows for launches and instances is the provider's. parity: arczonalshift
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
// Events for what began and what ended. A zone whose name is not known may be any pool's. Pure.
plan::Plan decide(const View& view);

class Controller {
 public:
  explicit Controller(Context& context) : context_(context) {}
  void start();
  void stop();

 private:
  Status look(const std::stop_token& stop);

  Context& context_;
  std::vector<cloud::Zone> shifted_;  // touched by the only worker
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::zonal_shift
