// What controllers ask of a Node's pods. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "state/cluster.h"

namespace tenon::controllers {

// How many of the Node's pods must find another place when it goes.
size_t reschedulable_pods(const state::Cluster& cluster, const std::string& node);

}  // namespace tenon::controllers
