// The room that pending pods have now, no move may lose it; and that CapacityBuffers keep free: nodes that hold some
// are in use. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct Headroom {
  std::set<std::string> nodes;                // with room that is kept free now (model::Pod::buffer)
  std::map<std::string, std::string> places;  // of pending pods, a buffer's too, by key → node
};

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options);

}  // namespace tenon::disruption
