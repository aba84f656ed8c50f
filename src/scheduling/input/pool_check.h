// Facts about a NodePool that the solver needs before it plans. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/node_pool.h"

namespace tenon::scheduling {

// Returns the first requirement or label of the pool that contradicts the others; empty if none does.
std::string contradiction(const model::NodePool& pool);

}  // namespace tenon::scheduling
