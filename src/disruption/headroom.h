// Headroom: the room on existing nodes that pending pods fit into, pods of CapacityBuffers included. No move may take
// it away, and nodes that hold room for buffers are in use. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct Headroom {
  std::set<std::string> nodes;                // that hold room for a CapacityBuffer (model::PodSpec::buffer)
  std::map<std::string, std::string> places;  // pending pod, also of a buffer, by key → node
};

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options);

}  // namespace tenon::disruption
