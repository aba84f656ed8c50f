// Two additional paths of the demo's API server, with the cluster's token; all other requests go to the cluster.
//   POST /tenon/advance?by=720h    advances the clock
//   GET  /tenon/instances          every EC2 instance with type, zone, capacity type and state, with or without a claim
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "http/handler.h"
#include "minicluster/minicluster.h"
#include "runtime/live.h"

namespace tenon::cli {

inline constexpr const char* kAdvancePath = "/tenon/advance";
inline constexpr const char* kInstancesPath = "/tenon/instances";

class DemoControl : public http::Handler {
 public:
  DemoControl(runtime::LiveRuntime& runtime, minicluster::Minicluster& cluster, std::string token)
      : runtime_(runtime), cluster_(cluster), authorization_("Bearer " + token) {}
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;

 private:
  http::Response advance(const http::ServerRequest& request);
  http::Response instances();

  runtime::LiveRuntime& runtime_;
  minicluster::Minicluster& cluster_;
  const std::string authorization_;
};

}  // namespace tenon::cli
