// Reads requests off a connection: Boost.Beast's parser fed with bytes that we read ourselves.
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
  bool http_1_0 = false;  // knows no chunks
};

// How reading ended when it did not end with a request.
struct ReadEnd {
  int answer_status = 0;  // 400, 413, 431; 0: nothing to say, the peer closed or fell silent between requests
  std::string why;
};

class RequestReader {
 public:
  explicit RequestReader(ByteStream& stream) : stream_(stream) {}
  tl::expected<IncomingRequest, ReadEnd> next();

 private:
  ByteStream& stream_;
  std::string buffer_;  // read, not yet parsed
};

}  // namespace tenon::http
