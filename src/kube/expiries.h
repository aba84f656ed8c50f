// Expiries: keys, each with the time until which it counts. Bounded: a key whose time has come is removed, and the key
// that would expire first is removed if there would be more than `most` keys. A call costs O(log size), and the removal
// of a key is paid once by the call that added it.
// Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "base/instant.h"

namespace tenon::kube {

class Expiries {
 public:
  explicit Expiries(size_t most) : most_(most) {}

  // When the key expires; `now` if it is unknown or has expired.
  Instant expiry(const std::string& key, Instant now);
  void set(const std::string& key, Instant expiry, Instant now);

  size_t size() const { return by_key_.size(); }
  // Entries that all calls together have examined: the cost, for tests.
  uint64_t steps() const { return steps_; }

 private:
  using Order = std::multimap<Instant, const std::string*>;  // the keys are those of by_key_
  void remove_first();
  void remove_expired(Instant now);

  const size_t most_;
  std::unordered_map<std::string, Order::iterator> by_key_;
  Order order_;  // equal times: in the order in which they were set
  uint64_t steps_ = 0;
};

}  // namespace tenon::kube
