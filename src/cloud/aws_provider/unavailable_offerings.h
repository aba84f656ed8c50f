// What EC2 lately refused to sell: offerings that are left out for a few minutes. parity: provider-aws pkg/cache
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/instant.h"

namespace tenon::cloud {

inline constexpr Duration kUnavailableFor = 3min;

struct OfferingKey {
  std::string instance_type, zone, capacity_type;
  friend auto operator<=>(const OfferingKey&, const OfferingKey&) = default;
};

class UnavailableOfferings {
 public:
  void mark(const OfferingKey& offering, Instant now);
  // Every offering of the capacity type (an account without the service-linked role for spot).
  void mark_capacity_type(const std::string& capacity_type, Instant now);
  // The subnet has no free address.
  void mark_subnet(const std::string& subnet_id, Instant now);

  bool unavailable(const OfferingKey& offering, Instant now) const;
  bool subnet_unavailable(const std::string& subnet_id, Instant now) const;
  // Changes whenever an answer of the two above may: with each mark, and when one ends. What is derived from them is
  // kept under this number.
  uint64_t version(Instant now);

 private:
  mutable std::mutex mutex_;
  std::map<OfferingKey, Instant> until_;  // an empty type and zone: the whole capacity type
  std::map<std::string, Instant> subnets_until_;
  uint64_t version_ = 0;
};

}  // namespace tenon::cloud
