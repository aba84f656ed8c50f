// Notices of the cloud that it will reclaim, stop or maintain instances, and the queue that delivers them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace tenon::cloud {

// The kinds up to kMalformed come from messages, the others from the poll of instance statuses.
// parity: provider-aws pkg/controllers/interruption/messages
enum class InterruptionKind {
  kSpotInterrupted,
  kReservationInterrupted,
  kInstanceTerminated,
  kInstanceStopped,
  kScheduledChange,
  kRebalance,
  kNoOp,       // irrelevant here
  kMalformed,  // an invalid message
  kInstanceStatus,
  kSystemStatus,
  kEventStatus,
};
// Returns the name in metrics and logs: "spot_interrupted".
std::string_view to_string(InterruptionKind kind);

struct Interruption {
  InterruptionKind kind = InterruptionKind::kNoOp;
  std::vector<std::string> instance_ids;  // "i-0123…"; may belong to any cluster of the account
  Instant at{};                           // the time of the notice
  std::string problem = {};               // of a malformed message
};

struct QueuedInterruption {
  std::string receipt;
  Interruption what;
};

inline constexpr size_t kInterruptionBatch = 10;  // messages in one call, at most
// A message that was received and not removed is delivered again after this time.
inline constexpr Duration kInterruptionVisibility = 20s;

// Thread rule: any thread; calls block on the network and honour `stop`.
class InterruptionQueue {
 public:
  virtual ~InterruptionQueue() = default;
  // Returns at most kInterruptionBatch messages, in no particular order; empty if none arrived within `wait` (at most
  // 20 s). Errors: kNotFound, the queue does not exist (it may be created later).
  virtual Result<std::vector<QueuedInterruption>> receive(Duration wait, const std::stop_token& stop) = 0;
  // Removes at most kInterruptionBatch messages. Returns how many were removed.
  virtual Result<size_t> remove(const std::vector<std::string>& receipts, const std::stop_token& stop) = 0;
};

// An instance that fails a status check, or for which the cloud has scheduled an event.
struct SickInstance {
  std::string id;
  InterruptionKind kind = InterruptionKind::kInstanceStatus;
  friend auto operator<=>(const SickInstance&, const SickInstance&) = default;
};

}  // namespace tenon::cloud
