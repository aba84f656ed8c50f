// The list of all controllers: the only place that names each of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cloud/provider.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/manager/manager.h"
#include "metrics/registry.h"

namespace tenon::controllers {

// Returns the controllers that the options enable, in the order of their start; they stop in reverse. `deciding`: of
// those whose threads end as soon as decisions end; an observer has only such. `launching`: of those whose requests in
// flight are awaited.
std::vector<std::unique_ptr<Controller>> make_controllers(Context& deciding, Context& launching, cloud::Provider& cloud,
                                                          const ManagerOptions& options, metrics::Registry& registry);

}  // namespace tenon::controllers
