// `tenon install manifests`: the objects of the chart deploy/helm/tenon as plain manifests, without helm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/install/parts.h"

namespace tenon::cli::install {

// Returns a stream of YAML documents in the order in which they can be created; with `request.only` those of one kind
// ("Deployment"). The definitions (deploy/crds) are not among them. Errors: those of Chart::make() and Chart::image();
// kInvalid if there is no object of that kind. Thread rule: any thread.
Result<std::string> render_manifests(const Request& request);

}  // namespace tenon::cli::install
