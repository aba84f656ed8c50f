// `tenon fake-aws`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/options.h"

namespace tenon::cli {

// Serves the embedded AWS until a signal. Returns the exit code.
int run_fake_aws(const FakeAwsCommandOptions& options);

}  // namespace tenon::cli
