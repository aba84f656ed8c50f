// Samples the stacks of this process while it uses the CPU: a timer that counts CPU time interrupts the thread that
// runs, and the handler of the signal walks its stack. Without a sampling in progress nothing is installed and nothing
// costs time. Linux; decision: docs/decisions/0062.
// Thread rule: any thread; one sampling at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/result.h"
#include "cli/profiling/pprof.h"

namespace tenon::cli {

inline constexpr Duration kSamplePeriod = 10ms;  // of CPU time, summed over the threads

// Blocks for this long, or until `stop`. Errors: kUnavailable: a sampling is in progress; kCancelled: stopped.
Result<CpuProfile> sample_cpu(Duration length, const std::stop_token& stop);

}  // namespace tenon::cli
