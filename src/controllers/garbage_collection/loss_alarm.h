// Detects that a NodePool loses many instances within a short time (kMany within kWithin). In memory only.
// Thread rule: one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>

#include "base/instant.h"
#include "runtime/token_bucket.h"

namespace tenon::controllers::garbage_collection {

class LossAlarm {
 public:
  static constexpr size_t kMany = 3;          // instances of a NodePool
  static constexpr Duration kWithin = 10min;  // of each other

  // Records one loss. Returns true if it is at least the kMany-th within kWithin; then false for kWithin.
  bool record_loss(const std::string& pool, Instant now);

 private:
  struct Pool {
    std::deque<Instant> lost;  // at most kMany
    runtime::TokenBucket alarms{kWithin};
  };
  std::map<std::string, Pool> pools_;  // by name; one small entry for each pool that ever lost an instance
};

}  // namespace tenon::controllers::garbage_collection
