// The limits of the API server, each with its unit and its reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/instant.h"

namespace tenon::kubesim::apiserver {

inline constexpr int kMaxWriteRaces = 64;      // attempts of a read-change-write before it fails with a conflict
inline constexpr size_t kMaxNameLength = 253;  // bytes; a DNS subdomain
inline constexpr size_t kMaxLabelLength = 63;  // bytes; a DNS label, a label's value, the name part of its key
inline constexpr size_t kMaxAnnotationBytes = 256 << 10;  // all annotations of an object
inline constexpr size_t kMaxListPages = 64;               // lists that are read by pages; the oldest is dropped first
inline constexpr Duration kPageLifetime = 5min;           // of a continue token; equals etcd's compaction interval
inline constexpr Duration kEventLifetime = 1h;            // of v1 Events
inline constexpr Duration kEventSweep = 10min;            // between two removals of old events
inline constexpr size_t kMaxEventSeries = 4096;           // distinct events whose repetitions increment a count
inline constexpr size_t kMaxWatchBatch = 1000;            // changes read from the log at once
inline constexpr Duration kBookmarkPeriod = 1min;         // between bookmarks of a watch that requests them
inline constexpr Duration kDefaultWatchTimeout = 30min;   // of a watch without timeoutSeconds
inline constexpr int64_t kDefaultGraceSeconds = 30;       // of a pod without terminationGracePeriodSeconds

}  // namespace tenon::kubesim::apiserver
