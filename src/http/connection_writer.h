// The ResponseWriter of a socket connection: writes HTTP/1.1, with Content-Length or in chunks.
// Thread rule: the handler's thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "http/byte_stream.h"
#include "http/handler.h"

namespace tenon::http {

class ConnectionWriter : public ResponseWriter {
 public:
  struct Options {
    bool head = false;        // the request was HEAD: the response has no body
    bool http_1_0 = false;    // no chunks; the end of the connection ends the body
    bool keep_alive = false;  // the client's request
  };
  ConnectionWriter(ByteStream& stream, Options options) : stream_(stream), options_(options) {}

  void respond(Response response) override;
  Status begin(int status, Headers headers) override;
  Status write(std::string_view bytes) override;

  // Call it after the handler: answers 500 if the handler did not answer, ends the chunks. Returns true if the
  // connection can serve another request.
  bool finish();
  bool answered() const { return answered_; }
  // Closes the connection after this response.
  void close_afterwards() { options_.keep_alive = false; }

 private:
  std::string head(int status, const Headers& headers, std::string_view framing) const;
  Status put(std::string_view bytes);

  ByteStream& stream_;
  Options options_;
  bool answered_ = false, streaming_ = false, broken_ = false;
};

}  // namespace tenon::http
