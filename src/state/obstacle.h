// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"

namespace tenon::state {

// A kind or an object that keeps the cluster's state from being complete.
struct Obstacle {
  std::string kind;  // "NodeClaim"
  std::string name;  // of the object; empty: the obstacle is the kind's cache
  std::string what;  // the fault
  Instant since{};
  bool blocks = true;  // Cluster::synced(); false for an open launch
};

}  // namespace tenon::state
