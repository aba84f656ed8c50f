// The limits of this room, with units and reasons.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/instant.h"

namespace tenon::http {

// Server. A watch holds one connection, so this limits threads and descriptors as well.
inline constexpr size_t kMaxServerConnections = 512;
inline constexpr int kListenBacklog = 1024;               // if full, clients lose a second (SYN retry)
inline constexpr size_t kMaxHeaderBytes = 64 * 1024;      // request line and headers; more is 431
inline constexpr size_t kMaxRequestBodyBytes = 64 << 20;  // more is 413
inline constexpr size_t kReadChunkBytes = 16 * 1024;      // one TLS record
inline constexpr Duration kIdleTimeout = 2min;            // between the requests of one connection
inline constexpr Duration kReadTimeout = 30s;             // silence inside a request
inline constexpr Duration kWriteTimeout = 30s;            // a peer that accepts no byte for this long is disconnected
inline constexpr Duration kHandshakeTimeout = 10s;        // silence inside a TLS handshake
inline constexpr Duration kLingerTimeout = 1s;            // lets an error answer arrive before the reset of close()
inline constexpr Duration kDrainTimeout = 3s;             // for running handlers when the server stops

// Client.
inline constexpr Duration kConnectTimeout = 10s;  // or the request's timeout, if shorter
inline constexpr size_t kMaxResponseBodyBytes = size_t{1} << 30;
// The largest size of a compressed body after decompression. A page of 500 pods has about 10 MiB; gzip turns 256 KiB
// into 256 MiB at most.
inline constexpr size_t kMaxDecodedBodyBytes = size_t{256} << 20;
inline constexpr size_t kMaxResponseHeaderBytes = 256 * 1024;
inline constexpr size_t kMaxIdleLanes = 32;  // kept for their open connections
// The minimum between two reads of a streamed response. Pods of a burst reach a watch every few milliseconds, and each
// read costs as much processor time as the event itself (docs/decisions/0065).
inline constexpr Duration kStreamPause = 25ms;

}  // namespace tenon::http
