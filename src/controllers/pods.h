// Queries about a Node's pods. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "state/cluster.h"

namespace tenon::controllers {

// Returns how many of the Node's pods must be rescheduled when the Node is removed.
size_t reschedulable_pods(const state::Cluster& cluster, const std::string& node);

}  // namespace tenon::controllers
