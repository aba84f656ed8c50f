// The room that CapacityBuffers keep free: nodes that hold it are in use, and no move may lose it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct Headroom {
  std::set<std::string> nodes;  // that hold some of it now
  std::set<std::string> pods;   // that stand for it (model::Pod::buffer) and have their place there
};

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options);

}  // namespace tenon::disruption
