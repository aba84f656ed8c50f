// Limits of the Kubernetes client, with the reason for each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/instant.h"

namespace tenon::kube {

inline constexpr int kListPageObjects = 500;            // as client-go: a page stays below a few MiB
inline constexpr Duration kRequestTimeout = 60s;        // the API server's own limit on a request
inline constexpr int64_t kWatchSeconds = 240;           // a watch is renewed after this and up to a quarter more …
inline constexpr uint64_t kWatchJitterSeconds = 60;     // … so that not all of them come at once
inline constexpr Duration kWatchSilence = 330s;         // longer silence than any watch may last: the peer is gone
inline constexpr size_t kMaxWatchLineBytes = 32 << 20;  // etcd objects are at most 1.5 MiB; a sane multiple
inline constexpr size_t kMaxErrorBodyBytes = 64 << 10;
inline constexpr Duration kTokenRefresh = 60s;    // how long a token that was read from a file is used
inline constexpr Duration kFirstBackoff = 800ms;  // of an informer after a failure; doubles …
inline constexpr Duration kMaxBackoff = 30s;      // … up to this. parity: client-go reflector.go
inline constexpr Duration kShortWatch = 1s;       // a watch that ends sooner, without news, counts as a failure

}  // namespace tenon::kube
