// A proxy for https: accepts CONNECT and relays the bytes to a port of this host, whatever host the request names.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon::http::testing {

class TunnelProxy {
 public:
  explicit TunnelProxy(uint16_t target);
  ~TunnelProxy();           // ends the open tunnels
  std::string url() const;  // http://127.0.0.1:PORT
  // The first lines of the requests so far: "CONNECT api.test:443 HTTP/1.1".
  std::vector<std::string> requests() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace tenon::http::testing
