// NodeClaims without conditions get those that the controllers would have written. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/snapshot.h"

namespace tenon::cli {

// Sets Launched if there is a provider id, and Registered and Initialized as the Node's labels say, all since the
// claim's creation; Consolidatable and Drifted as their controller decides.
void fill_in_claims(scheduling::Snapshot& snapshot);

}  // namespace tenon::cli
