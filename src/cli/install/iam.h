// `tenon install iam`: the IAM documents and event patterns of deploy/iam with the values of one cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/install/parts.h"

namespace tenon::cli::install {

// Renders one document, as `aws … file://` takes it, or an object of all documents by name. A document that depends on
// a value which is not set (oidcProvider, launchTemplateId) is left out of the object and refused on its own. Errors:
// kInvalid, which names the key or the document.
Result<std::string> render_iam(const Request& request);

}  // namespace tenon::cli::install
