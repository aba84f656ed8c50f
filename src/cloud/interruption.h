// What a cloud says of instances that it is going to take back, stop or repair, and the queue that such words come in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace tenon::cloud {

// From messages, then from the poll of instances' statuses. parity: provider-aws pkg/controllers/interruption/messages
enum class InterruptionKind {
  kSpotInterrupted,
  kReservationInterrupted,
  kInstanceTerminated,
  kInstanceStopped,
  kScheduledChange,
  kRebalance,
  kNoOp,       // about nothing that matters here
  kMalformed,  // not a message as it should be
  kInstanceStatus,
  kSystemStatus,
  kEventStatus,
};
// "spot_interrupted": as metrics and logs say it.
std::string_view to_string(InterruptionKind kind);

struct Interruption {
  InterruptionKind kind = InterruptionKind::kNoOp;
  std::vector<std::string> instance_ids;  // "i-0123…": of any cluster of the account
  Instant at{};                           // when the cloud said so
  std::string problem = {};               // of a malformed message
};

struct QueuedInterruption {
  std::string receipt;
  Interruption what;
};

inline constexpr size_t kInterruptionBatch = 10;  // messages of one call, at most
// A message that was received and not removed is given out again after this time.
inline constexpr Duration kInterruptionVisibility = 20s;

// Thread rule: any thread; calls block on the network and honour `stop`.
class InterruptionQueue {
 public:
  virtual ~InterruptionQueue() = default;
  // At most kInterruptionBatch messages, in no particular order; none if none came within `wait` (at most 20 s).
  // Errors: kNotFound, there is no such queue (it may come).
  virtual Result<std::vector<QueuedInterruption>> receive(Duration wait, const std::stop_token& stop) = 0;
  // At most kInterruptionBatch; how many were removed.
  virtual Result<size_t> remove(const std::vector<std::string>& receipts, const std::stop_token& stop) = 0;
};

// An instance that fails a status check, or for which the cloud has scheduled an event.
struct SickInstance {
  std::string id;
  InterruptionKind kind = InterruptionKind::kInstanceStatus;
  friend auto operator<=>(const SickInstance&, const SickInstance&) = default;
};

}  // namespace tenon::cloud
