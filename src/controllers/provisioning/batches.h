// Which claims of one pass are bought by one call. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "controllers/provisioning/decide.h"

namespace tenon::controllers::provisioning {

// Marks claims that are equal (cloud/launch_batch.h), in batches of kMaxLaunchBatch at most. The moment of the pass
// makes the batches' ids differ from those of every other pass.
void mark_batches(std::vector<Purchase>& purchases, Instant now);

}  // namespace tenon::controllers::provisioning
