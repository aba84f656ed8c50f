// Groups the claims of one pass that one call launches: those of the provisioner and of a static pool. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/node_claim.h"

namespace tenon::controllers::claims {

// Marks equal claims (cloud/launch_batch.h), in batches of at most kMaxLaunchBatch. The ids of the batches begin with
// `pass`, which must differ from that of every other pass of any controller and process.
void mark_batches(const std::vector<model::NodeClaim*>& claims, const std::string& pass);

// Returns "<who>-<now>", for a caller that begins no two passes at the same time.
std::string pass_id(const std::string& who, Instant now);

}  // namespace tenon::controllers::claims
