// The Deployment of a release: two replicas, one of which is the leader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "cli/install/chart.h"

namespace tenon::cli::install {

// Errors: kInvalid: the image is not named (Chart::image()). Thread rule: any thread.
Result<boost::json::value> deployment(const Chart& chart);

}  // namespace tenon::cli::install
