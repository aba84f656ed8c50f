// A plan carried out: a cluster in which its nodes are up, as they were to be launched, and its pods run. Made from the
// solution alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/solver.h"

namespace tenon::scheduling::testing {

// Nobody is pending in it but who could not be placed. New nodes are called `prefix` and the id that they had.
Snapshot carry_out(Snapshot snapshot, const Solution& plan, const std::string& prefix);

}  // namespace tenon::scheduling::testing
