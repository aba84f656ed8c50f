// in_parallel: some calls at once, from a thread that waits for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/runtime.h"

namespace tenon::runtime {

// job(0) … job(count - 1), on at most `width` threads, the caller's among them; returns when all have returned. Jobs
// must not throw. Those that have not begun when `stop` is requested are called with a stop token that says so.
void in_parallel(Runtime& runtime, const std::string& name, size_t width, size_t count,
                 const std::function<void(size_t, const std::stop_token&)>& job, const std::stop_token& stop);

}  // namespace tenon::runtime
