// Every bound of the API server, with its unit and its reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/instant.h"

namespace tenon::minicluster::apiserver {

inline constexpr int kMaxWriteRaces = 64;      // tries of a read-change-write before it is a conflict
inline constexpr size_t kMaxNameLength = 253;  // bytes; a DNS subdomain
inline constexpr size_t kMaxLabelLength = 63;  // bytes; a DNS label, a label's value, the name part of its key
inline constexpr size_t kMaxAnnotationBytes = 256 << 10;  // all annotations of an object
inline constexpr size_t kMaxListPages = 64;              // lists that somebody is paging through; the oldest goes first
inline constexpr Duration kPageLifetime = 5min;          // of a continue token, as etcd's compaction interval
inline constexpr Duration kEventLifetime = 1h;           // of v1 Events
inline constexpr size_t kMaxEventSeries = 4096;          // equal events that are counted up instead of stored again
inline constexpr size_t kMaxWatchBatch = 1000;           // changes written in one go
inline constexpr Duration kBookmarkPeriod = 1min;        // between bookmarks of a watch that asked for them
inline constexpr Duration kDefaultWatchTimeout = 30min;  // of a watch that names none
inline constexpr int64_t kDefaultGraceSeconds = 30;      // of a pod that names none

}  // namespace tenon::minicluster::apiserver
