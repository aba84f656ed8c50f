// The initial objects of a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

// Creates the initial namespaces, the system priority classes and the service "kubernetes". The Collector creates the
// service accounts.
void create_initial_objects(Objects& objects);

}  // namespace tenon::kubesim::apiserver
