// The room that pending pods have now, no move may lose it; and that CapacityBuffers keep free: nodes that hold some
// are in use. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct Headroom {
  std::set<std::string> nodes;  // with room that is kept free now (model::Pod::buffer)
  std::set<std::string> pods;   // pending ones, a buffer's too, that have their place
};

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options);

}  // namespace tenon::disruption
