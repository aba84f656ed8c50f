// Sends requests to an API server as an HTTP client does, in virtual time. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "kubesim/apiserver/front/server.h"
#include "runtime/sim.h"

namespace tenon::kubesim::testing {

struct CallOptions {
  std::string type = "application/json";
  std::string accept = "application/json";
};

class Caller {
 public:
  explicit Caller(ApiServerOptions options = {});

  struct Answer {
    int status = 0;
    boost::json::value body;  // null if the body is not JSON
    std::string text, content_type;
    // Returns the value at a path of keys and indexes as text: at("items/0/metadata/name"); empty if it is missing.
    std::string at(std::string_view path) const;
  };
  Answer call(const std::string& method, const std::string& path_and_query, const std::string& body = {},
              const CallOptions& options = {});
  Answer get(const std::string& path) { return call("GET", path); }
  // Returns the events of a watch within a second, as "ADDED name" or "ERROR code"; "HTTP status" if it is rejected.
  std::vector<std::string> watch(const std::string& path_and_query);

  ApiServer& api() { return *api_; }
  void run(Duration span) { sim_->run_for(span); }

 private:
  std::unique_ptr<runtime::SimRuntime> sim_;
  std::unique_ptr<ApiServer> api_;
};

}  // namespace tenon::kubesim::testing
