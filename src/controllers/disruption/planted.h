// Test-only: changes a snapshot to what consolidation with a planted bug would use. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::disruption {

void plant(const PlantedFaults& faults, scheduling::Snapshot& snapshot);

}  // namespace tenon::controllers::disruption
