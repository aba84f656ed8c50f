// Expiries: keys with an expiry time. Bounded: expired keys are removed, and if there are more than `most` keys, the
// one that expires first is removed. A call costs O(log size); the cost of a key's removal is amortized over the call
// that added it.
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

  // Returns the expiry of the key; `now` if the key is unknown or has expired.
  Instant expiry(const std::string& key, Instant now);
  void set(const std::string& key, Instant expiry, Instant now);

  size_t size() const { return by_key_.size(); }
  // Number of entries that all calls have examined: the cost, for tests.
  uint64_t steps() const { return steps_; }

 private:
  using Order = std::multimap<Instant, const std::string*>;  // points to the keys of by_key_
  void remove_first();
  void remove_expired(Instant now);

  const size_t most_;
  std::unordered_map<std::string, Order::iterator> by_key_;
  Order order_;  // equal times: in the order of set()
  uint64_t steps_ = 0;
};

}  // namespace tenon::kube
