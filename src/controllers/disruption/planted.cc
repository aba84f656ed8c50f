// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/planted.h"

#include <algorithm>

namespace tenon::controllers::disruption {
namespace {

void let_all_go(scheduling::PoolView& view) {
  model::NodePool pool = *view.pool;
  pool.budgets = {{.reasons = {}, .nodes = "100%", .schedule = {}, .duration = {}}};
  view.pool = std::make_shared<const model::NodePool>(std::move(pool));
}

// Turns high prices into low ones and conversely.
void invert_prices(scheduling::PoolView& view) {
  constexpr model::Price kDearest(10 * model::kPicoPerUsd);
  if (!view.types) return;
  auto types = *view.types;
  for (model::InstanceType& type : types) {
    for (model::Offering& offering : type.offerings)
      offering.price = std::max(kDearest - offering.price, model::Price());
  }
  view.types = std::make_shared<const std::vector<model::InstanceType>>(std::move(types));
}

void forget_spreads(scheduling::NodeView& view) {
  for (scheduling::PodPtr& pod : view.pods.edit()) {
    if (pod->spec->spread.empty()) continue;
    model::Pod changed = *pod;
    changed.spec.edit().spread.clear();
    pod = std::make_shared<const model::Pod>(std::move(changed));
  }
}

}  // namespace

void plant(const PlantedFaults& faults, scheduling::Snapshot& snapshot) {
  if (faults.forget_daemon_sets) snapshot.daemon_sets.clear();
  if (faults.forget_spreads) std::for_each(snapshot.nodes.begin(), snapshot.nodes.end(), forget_spreads);
  for (auto& view : snapshot.pools) {
    if (faults.ignore_budgets) let_all_go(view);
    if (faults.invert_prices) invert_prices(view);
  }
}

}  // namespace tenon::controllers::disruption
