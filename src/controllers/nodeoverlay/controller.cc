// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeoverlay/controller.h"

#include "controllers/nodeoverlay/decide.h"

namespace tenon::controllers::nodeoverlay {
namespace {

constexpr const char* kAll = "all";
constexpr Duration kUnsynced = 1s;
constexpr Duration kAgain = 6h;  // types and prices change without a notification. parity: nodeoverlay/controller.go

}  // namespace

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime, {.name = "nodeoverlay", .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string&, const std::stop_token& stop) { return reconcile(stop); }) {
  const auto changed = [this](const auto&) { loop_.add(kAll); };
  context_.cluster.node_overlays.on_change(changed);
  context_.cluster.pools.on_change(changed);
  context_.cluster.node_classes.on_change(changed);
}

Result<Next> Controller::reconcile(const std::stop_token& stop) {
  std::vector<model::NodeOverlay> overlays;
  for (const auto& overlay : context_.cluster.node_overlays.list()) overlays.push_back(*overlay);
  if (overlays.empty()) return Next{};
  if (!context_.cluster.caches_synced()) return Next{kUnsynced};
  std::map<std::string, std::string> refused;
  context_.cluster.pool_views(refused);
  TRY(context_.applier.apply(decide(overlays, refused, context_.runtime.now()), stop));
  return Next{kAgain};
}

}  // namespace tenon::controllers::nodeoverlay
