// Creates the NodeClaims of one decision, several in parallel.
// parity: karpenter pkg/controllers/provisioning/provisioner.go (CreateNodeClaims)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "controllers/context.h"

namespace tenon::controllers {

// Requests in flight. Karpenter limits them only by the rate of its client (200 per second).
inline constexpr size_t kCreatesInFlight = 16;

// Returns the server's answer to claim i as result i. Every claim that the server accepted counts for the cluster
// (Cluster::expect) when this returns; a rejected claim does not stop the others. Blocks until all are answered.
std::vector<Result<model::NodeClaim>> create_claims(Context& context, const std::vector<plan::CreateNodeClaim>& claims,
                                                    const std::stop_token& stop);

// Returns the failures as one error: the first one, and the number of failures. Success if there is none.
Status failures_in(const std::vector<Result<model::NodeClaim>>& created);

}  // namespace tenon::controllers
