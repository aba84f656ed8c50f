// What a cluster holds before anybody has written to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "minicluster/apiserver/objects.h"

namespace tenon::minicluster::apiserver {

// Namespaces, their service accounts, priority classes, the service "kubernetes".
void create_initial_objects(Objects& objects);

}  // namespace tenon::minicluster::apiserver
