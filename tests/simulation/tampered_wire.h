// A wire between the controllers and one server on which a test handles every request: performs it, answers it itself,
// fails it, delays it or loses its answer. Watches pass. Thread rule: that of http::Transport.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/transport.h"
#include "runtime/runtime.h"

namespace tenon::simulation {

// One request on the wire. References are valid during the call of the Tamper.
struct Passing {
  const http::Request& request;
  runtime::Runtime& runtime;
  const std::stop_token& stop;
  std::function<Result<http::Response>()> perform;

  // "PATCH" and a part of the URL.
  bool is(std::string_view method, std::string_view url_part) const {
    return request.method == method && request.url.find(url_part) != std::string::npos;
  }
  // An action of AWS's query protocol.
  bool calls(const std::string& action) const {
    return request.body.find("Action=" + action + "&") != std::string::npos;
  }
};
using Tamper = std::function<Result<http::Response>(const Passing&)>;

// Returns the API server's answer to a rejected request: a Status.
http::Response kube_refusal(int code, const std::string& reason, const std::string& message);
// Returns EC2's answer to a rejected request.
http::Response ec2_refusal(const std::string& code, const std::string& message);

// `runtime`: of the world, which may be created after the wire but before the first request.
std::unique_ptr<http::Transport> tamper_with(std::unique_ptr<http::Transport> inner,
                                             std::function<runtime::Runtime&()> runtime, Tamper tamper);

}  // namespace tenon::simulation
