// What the webhooks of v0.27 and the controller say about one document, after an API server has accepted it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "cli/validate/finding.h"

namespace tenon::cli {

// Webhooks: Provisioner, AWSNodeTemplate. Runtime checks: NodePool. Decoding: every kind that the controller reads.
Findings check_rules(const boost::json::value& document);

}  // namespace tenon::cli
