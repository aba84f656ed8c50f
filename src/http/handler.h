// The server side of HTTP: a Handler answers one request on the caller's thread. http/server.h serves Handlers on a
// socket; http/loopback_transport.h calls them in process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace tenon::http {

struct ServerRequest {
  std::string method = {};
  std::string host = {};      // the Host header
  std::string raw_path = {};  // as sent, without the query
  std::string raw_query = {};
  Headers headers = {};
  std::string body = {};
  // From a client certificate that the CA signed; otherwise empty. Kubernetes reads them as user and groups.
  std::string client_common_name = {};
  std::vector<std::string> client_organizations = {};
};

// Either respond() once, or begin() once, write() any number of times (each flushed at once), then return.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;
  virtual void respond(Response response) = 0;
  // Status and headers of a streamed response. begin() and write() return kUnavailable when the peer has disconnected.
  virtual Status begin(int status, Headers headers) = 0;
  virtual Status write(std::string_view bytes) = 0;
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Thread rule: called from many threads at once. `stop` is requested when the server stops or the peer disconnects;
  // long-lived responses (watches) end then.
  virtual void serve(const ServerRequest& request, ResponseWriter& writer, const std::stop_token& stop) = 0;
};

}  // namespace tenon::http
