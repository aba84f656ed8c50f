// NodeClaims that come without conditions get those that the controllers would have written. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/snapshot.h"

namespace tenon::cli {

// Launched if there is a provider id, Registered and Initialized as the Node's labels say, since the claim was made;
// Consolidatable and Drifted as their controller decides.
void fill_in_claims(scheduling::Snapshot& snapshot);

}  // namespace tenon::cli
