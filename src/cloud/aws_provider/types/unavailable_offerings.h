// Offerings that EC2 recently had insufficient capacity for, or reclaimed. They are unavailable for some minutes.
// parity: provider-aws pkg/cache; beyond it, repeated interruptions make an offering unavailable for longer.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/instant.h"

namespace tenon::cloud {

inline constexpr Duration kUnavailableFor = 3min;
// Interruptions of one offering come in bursts: the second one within this time means that EC2 is reclaiming the whole
// capacity pool.
inline constexpr Duration kInterruptionWindow = 10min;
inline constexpr Duration kEmptiedFor = 10min;  // of such an offering, from its last interruption on

struct OfferingKey {
  std::string instance_type, zone, capacity_type;
  std::string placement_group = {};  // its id: the mark applies only there; empty: everywhere
  int64_t partition = 0;             // of the group: the mark applies only there; 0: to all of it
  friend auto operator<=>(const OfferingKey&, const OfferingKey&) = default;
};

class UnavailableOfferings {
 public:
  void mark(const OfferingKey& offering, Instant now);
  // Marks every offering of the capacity type (an account without the service-linked role for spot).
  void mark_capacity_type(const std::string& capacity_type, Instant now);
  // EC2 is reclaiming this instance of the offering.
  void mark_interrupted(const OfferingKey& offering, const std::string& instance, Instant now);
  // The subnet has no free address.
  void mark_subnet(const std::string& subnet_id, Instant now);

  // Sets the zones (by id) that traffic is shifted away from: nothing is launched in them.
  void set_shifted_zones(std::set<std::string> zone_ids);
  bool zone_shifted(const std::string& zone_id) const;
  bool any_zone_shifted() const;

  // Returns whether a mark covers the offering. A mark also covers everything inside its scope: a mark of a zone covers
  // its placement groups, a mark of a group its partitions. It does not cover the surrounding scope.
  bool unavailable(const OfferingKey& offering, Instant now) const;
  bool subnet_unavailable(const std::string& subnet_id, Instant now) const;
  // Changes when a mark is set or expires, or the shifted zones change. Results derived from the queries above are
  // cached under this number.
  uint64_t version(Instant now);

 private:
  void avoid(const OfferingKey& offering, Instant until);

  mutable std::mutex mutex_;
  std::map<OfferingKey, Instant> until_;  // an empty type and zone: the whole capacity type
  std::map<std::string, Instant> subnets_until_;
  std::set<std::string> shifted_;                                      // zone ids
  std::map<OfferingKey, std::map<std::string, Instant>> interrupted_;  // recent instances, with their times
  uint64_t version_ = 0;
};

}  // namespace tenon::cloud
