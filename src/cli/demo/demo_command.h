// `tenon demo` and `tenon demo advance`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"
#include "cli/options/options.h"

namespace tenon::cli {

// Runs until a signal, or to the end of a scenario. Returns the exit code.
int run_demo(const DemoOptions& options);
// Moves the clock of the running demo that the kubeconfig names.
int run_demo_advance(const std::string& kubeconfig, Duration span);

}  // namespace tenon::cli
