// The client side of HTTP: sends a request, or streams a response. All of Tenon's network access uses it.
// Implementations: http/curl_transport.h (production), http/loopback_transport.h (a Handler in this process, for
// simulation), and wrappers that inject faults.
//
// Thread rule: send and stream may be called from any number of threads at once; each call blocks its caller.
// Errors: kUnavailable (no connection, reset, invalid TLS: the message names host and cause), kTimeout, kCancelled
// (stop).
// An HTTP error status is not an Error: it is a Response.
// A request with the header `Accept-Encoding: gzip` may be answered with a compressed body. The caller gets it
// decompressed; kUnavailable if it exceeds http/limits.h or is damaged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace tenon::http {

class StreamSink {
 public:
  virtual ~StreamSink() = default;
  // Called once, before any data. Return false to end the stream without an error.
  virtual bool on_head(int status, const Headers& headers) = 0;
  // Called any number of times, on the caller's thread of stream(). Return false to end the stream without an error.
  virtual bool on_data(std::string_view bytes) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<Response> send(const Request& request, const std::stop_token& stop) = 0;
  // Returns when the server ends the response, the sink returns false, or an error occurs.
  virtual Status stream(const Request& request, StreamSink& sink, const std::stop_token& stop) = 0;
};

}  // namespace tenon::http
