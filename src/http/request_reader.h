// Reads requests from a connection and parses them with Boost.Beast, which does no I/O here.
// Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "http/byte_stream.h"
#include "http/handler.h"

namespace tenon::http {

struct IncomingRequest {
  ServerRequest request;
  bool keep_alive = false;
  bool http_1_0 = false;  // does not support chunks
};

// The reason why a read ended without a request.
struct ReadEnd {
  int answer_status = 0;  // 400, 408, 413, 431; 0: no answer, the peer closed or was silent between requests
  std::string why;
};

class RequestReader {
 public:
  explicit RequestReader(ByteStream& stream) : stream_(stream) {}
  tl::expected<IncomingRequest, ReadEnd> next();

 private:
  ByteStream& stream_;
  std::string buffer_;  // read but not parsed
};

}  // namespace tenon::http
