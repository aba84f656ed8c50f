// Every bound of this room, with its unit and its reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/instant.h"

namespace tenon::http {

// Server. A watch holds one connection, so this bounds threads and descriptors, too.
inline constexpr size_t kMaxServerConnections = 512;
inline constexpr int kListenBacklog = 1024;               // a full one costs its clients a second (SYN again)
inline constexpr size_t kMaxHeaderBytes = 64 * 1024;      // request line and headers; more is 431
inline constexpr size_t kMaxRequestBodyBytes = 64 << 20;  // more is 413
inline constexpr size_t kReadChunkBytes = 16 * 1024;      // one TLS record
inline constexpr Duration kIdleTimeout = 2min;            // between the requests of one connection
inline constexpr Duration kReadTimeout = 30s;             // silence inside a request
inline constexpr Duration kWriteTimeout = 30s;            // a peer that takes no byte for that long is gone
inline constexpr Duration kHandshakeTimeout = 10s;        // silence inside a TLS handshake
inline constexpr Duration kLingerTimeout = 1s;            // so that an error answer outruns the reset of close()
inline constexpr Duration kDrainTimeout = 3s;             // running handlers, when the server stops

// Client.
inline constexpr Duration kConnectTimeout = 10s;  // or the request's timeout, if that is shorter
inline constexpr size_t kMaxResponseBodyBytes = size_t{1} << 30;
inline constexpr size_t kMaxResponseHeaderBytes = 256 * 1024;
inline constexpr size_t kMaxIdleLanes = 32;  // kept for the sake of their open connections

}  // namespace tenon::http
