// The endpoints of --enable-profiling, in front of those of the metrics port: /debug/pprof/ lists them, profile takes a
// CPU profile, heap is a summary, cmdline the command. All other paths go to the inner handler.
// parity: net/http/pprof (paths and parameters)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/profiling/heap_summary.h"
#include "http/handler.h"

namespace tenon::cli {

// Seconds of a CPU profile.
inline constexpr int kProfileSeconds = 30, kMaxProfileSeconds = 300;

class ProfilingHandler : public http::Handler {
 public:
  // Borrows `inner`. `objects` is called for each summary, from any thread.
  ProfilingHandler(http::Handler& inner, std::function<ObjectCounts()> objects)
      : inner_(inner), objects_(std::move(objects)) {}
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;

 private:
  http::Handler& inner_;
  const std::function<ObjectCounts()> objects_;
};

}  // namespace tenon::cli
