// Creates the NodeClaims of one decision, several at once.
// parity: karpenter pkg/controllers/provisioning/provisioner.go (CreateNodeClaims)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "controllers/context.h"

namespace tenon::controllers {

// Requests at once. Karpenter limits them by its client's rate only (200 a second).
inline constexpr size_t kCreatesInFlight = 16;

// Result i is of claim i: as the API server answered. Every claim that the server accepted counts for the cluster
// (Cluster::expect) when this returns; one that it did not accept stops no other. Blocks until all have answered.
std::vector<Result<model::NodeClaim>> create_claims(Context& context, const std::vector<plan::CreateNodeClaim>& claims,
                                                    const std::stop_token& stop);

// The failures among them in one error: that of the first, and how many there are. Success if there is none.
Status failures_in(const std::vector<Result<model::NodeClaim>>& created);

}  // namespace tenon::controllers
