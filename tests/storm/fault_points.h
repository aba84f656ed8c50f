// The points at which faults are injected on purpose, with counts: a fault that never strikes proves nothing.
// Thread rule: the running actor (one at a time in simulation).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/prng.h"

namespace tenon::storm {

enum class Fault {
  kApiUnavailable,      // 503 before the API server performed the request
  kApiReplyLost,        // the API server performed the request, but the answer is lost
  kApiConflict,         // 409 as if someone had just written the object
  kWatchCut,            // a watch ends in the middle
  kWatchExpired,        // 410 on a watch: its reader has to list again
  kListAbsent,          // and that list is answered by 404 for some time
  kListTruncated,       // or half of it is missing
  kUnreadable,          // an object has a field of the wrong type for some minutes
  kEvictionRefused,     // a webhook denies the evictions of a pod for some minutes
  kEventsSlow,          // events are written slowly for some minutes
  kApiHangs,            // the API server does not answer the leader for some seconds
  kCleanStop,           // SIGTERM while a launch is in flight
  kAwsThrottled,        // RequestLimitExceeded
  kAwsReplyLost,        // EC2 performed the request, but the answer is lost
  kNoCapacity,          // an offering of the fleet is out of stock for some time
  kSpotReclaimed,       // a spot instance ends without notice
  kSpotWarned,          // a spot instance ends with two minutes' notice
  kControllerCrash,     // every controller, cache and connection is lost for some seconds
  kClaimDeleted,        // someone deletes a NodeClaim
  kFinalizersStripped,  // someone removes the finalizers of a NodeClaim that is being deleted
  kForeignEdited        // someone edits the NodePool of another provider
};
inline constexpr size_t kFaults = 21;
std::string_view to_string(Fault fault);

class FaultPoints {
 public:
  explicit FaultPoints(uint64_t seed) : prng_(seed) {}
  // Returns true with a chance of one in `one_in`, and counts it. Never true while calm.
  bool strikes(Fault fault, uint64_t one_in) {
    if (calm_ || paused_ || !prng_.chance(1, one_in)) return false;
    count(fault);
    return true;
  }
  void count(Fault fault) { ++hits_[static_cast<size_t>(fault)]; }
  void calm() { calm_ = true; }
  void pause(bool paused) { paused_ = paused; }
  const std::array<int64_t, kFaults>& hits() const { return hits_; }

 private:
  Prng prng_;
  bool calm_ = false, paused_ = false;
  std::array<int64_t, kFaults> hits_{};
};

}  // namespace tenon::storm
