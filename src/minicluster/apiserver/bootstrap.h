// The initial objects of a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "minicluster/apiserver/objects.h"

namespace tenon::minicluster::apiserver {

// Creates the initial namespaces, the system priority classes and the service "kubernetes". The Collector creates the
// service accounts.
void create_initial_objects(Objects& objects);

}  // namespace tenon::minicluster::apiserver
