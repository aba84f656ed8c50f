// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/play.h"

#include "catalog/catalog.h"
#include "cli/demo/scenario_runner.h"

namespace tenon::cli {
namespace {

model::Price price_of(const awssim::FakeInstance& instance) {
  const auto* facts = catalog::find_instance_type(instance.type);
  if (!facts) return {};
  if (instance.capacity_type != "spot") return facts->on_demand.value_or(model::Price());
  for (const catalog::Zone& zone : catalog::demo_zones()) {
    if (zone.name == instance.zone) return catalog::demo_spot_price(*facts, zone).value_or(model::Price());
  }
  return {};
}

}  // namespace

int play(const Scenario& scenario, SimWorld& world, std::ostream& out) {
  ScenarioWorld parts{world.sim(), world.cluster().api(), world.cluster().fake_aws(), price_of};
  return run_scenario(scenario, parts, out);
}

}  // namespace tenon::cli
