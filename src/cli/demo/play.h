// A walkthrough in a simulated world.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cli/demo/world.h"
#include "cli/scenario/scenario.h"

namespace tenon::cli {

// Returns how many steps differed from their expectation. Writes one line per step to `out`.
int play(const Scenario& scenario, SimWorld& world, std::ostream& out);

}  // namespace tenon::cli
