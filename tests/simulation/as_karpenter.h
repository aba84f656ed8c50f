// Makes the controllers' NodeClaims look as if another controller had created them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "http/transport.h"

namespace tenon::simulation {

// Removes Tenon's mark (model/adoption.h) from every NodeClaim that is created on the wire; all else passes unchanged.
// Thread rule: that of http::Transport.
std::unique_ptr<http::Transport> as_karpenter(std::unique_ptr<http::Transport> inner);

}  // namespace tenon::simulation
