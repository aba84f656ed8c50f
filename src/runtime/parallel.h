// in_parallel: runs several calls at once; the calling thread waits for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/runtime.h"

namespace tenon::runtime {

// Runs job(0) … job(count - 1) on at most `width` threads, including the caller's; returns when all have returned. Jobs
// must not throw. Jobs that start after `stop` is requested get a stop token with the request set.
void in_parallel(Runtime& runtime, const std::string& name, size_t width, size_t count,
                 const std::function<void(size_t, const std::stop_token&)>& job, const std::stop_token& stop);

}  // namespace tenon::runtime
