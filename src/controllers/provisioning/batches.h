// Which claims of one pass are bought by one call: those of the provisioner and of a static pool. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/node_claim.h"

namespace tenon::controllers::provisioning {

// Marks claims that are equal (cloud/launch_batch.h), in batches of kMaxLaunchBatch at most. `pass` is unlike that of
// every other pass, of whatever controller and process: the ids of the batches begin with it.
void mark_batches(const std::vector<model::NodeClaim*>& claims, const std::string& pass);

// "<who>-<now>", for one who begins no two passes at the same moment.
std::string pass_id(const std::string& who, Instant now);

}  // namespace tenon::controllers::provisioning
