// Limits of the Kubernetes client, with their reasons.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/instant.h"

namespace tenon::kube {

inline constexpr int kListPageObjects = 500;            // as client-go: a page stays below a few MiB
inline constexpr Duration kRequestTimeout = 60s;        // the API server's own limit on a request
inline constexpr int64_t kWatchSeconds = 240;           // a watch is renewed after this and up to a quarter more …
inline constexpr uint64_t kWatchJitterSeconds = 60;     // … so that not all are renewed at once
inline constexpr Duration kWatchSilence = 90s;          // bookmarks arrive about once a minute: the peer is gone
inline constexpr size_t kMaxWatchLineBytes = 32 << 20;  // etcd objects have at most 1.5 MiB; a generous multiple
inline constexpr size_t kMaxErrorBodyBytes = 64 << 10;
inline constexpr int kMaxAttempts = 11;          // of a request that is answered with Retry-After. parity: client-go
inline constexpr int kListRestarts = 1;          // of a paged list whose continue token expires; then all at once
inline constexpr size_t kListBatchObjects = 50;  // parsed objects of a list that are in memory at once

// Credentials (kube/access/access.h).
inline constexpr Duration kTokenRefresh = 60s;  // how long a token or certificate from a file is used
inline constexpr Duration kExecTimeout = 60s;   // of an exec plugin; it may ask a service for a token
inline constexpr Duration kCredentialRefreshAhead =
    60s;                                            // before the expiry, or a quarter of the life if that is shorter
inline constexpr Duration kCredentialRetry = 5s;    // after a failed renewal
inline constexpr Duration kMinCredentialAge = 10s;  // younger ones that are rejected are not renewed at once

// Informers.
inline constexpr Duration kFirstBackoff = 800ms;  // of an informer after a failure; doubles …
// … up to this, and as much again at random. client-go's 30 s would allow pauses of half the notice that EC2 gives
// before it terminates a spot instance: a drain cannot begin while the node cache is stale.
inline constexpr Duration kMaxBackoff = 10s;
inline constexpr Duration kShortWatch = 1s;  // a shorter watch without events counts as a failure

inline constexpr Duration kConfirmAfter = 2s;  // between two lists that both lack an object

// Events.
inline constexpr size_t kMaxQueuedEvents = 1000;        // parity: client-go maxQueuedEvents; about 1 MiB
inline constexpr size_t kMaxEventKeys = 20'000;         // stored objects and reasons; about 10 MiB
inline constexpr size_t kMaxEventMessageBytes = 1024;   // the API server's limit
inline constexpr Duration kEventInterval = 10ms;        // 100 writes per second, half of Karpenter's client limit …
inline constexpr int kEventBurst = 300;                 // … after a burst of the size that it allows
inline constexpr Duration kObjectEventInterval = 5min;  // of one reason about one object …
inline constexpr int kObjectEventBurst = 25;            // … after a burst. parity: client-go defaultSpamBurst
inline constexpr Duration kNominationInterval = 200ms;  // of Nominated, for all pods together …
inline constexpr int kNominationBurst = 10;             // … after a burst. parity: karpenter PodNominationRateLimiter
inline constexpr int kMaxEventAttempts = 12;            // parity: client-go maxTriesPerEvent
inline constexpr Duration kFirstEventRetry = 1s;        // after the API server was unreachable; doubles …
inline constexpr Duration kMaxEventRetry = 10s;         // … up to this. parity: client-go defaultSleepDuration
inline constexpr Duration kEventDrain = 1s;             // for queued events when the process stops
inline constexpr Duration kEventFailureReport = 1min;   // between two reports of lost events

}  // namespace tenon::kube
