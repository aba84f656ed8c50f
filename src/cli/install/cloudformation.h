// `tenon install cloudformation`: one template for the roles, the interruption queue and the event rules. Its policies
// are those of deploy/iam, with the parameters of the template as values. --set gives the parameters their defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/install/parts.h"

namespace tenon::cli::install {

// Renders the template as YAML. Without --set it is deploy/cloudformation.yaml. Errors: kInvalid, which names the key;
// the template is one document, so that `only` is refused.
Result<std::string> render_cloudformation(const Request& request);

}  // namespace tenon::cli::install
