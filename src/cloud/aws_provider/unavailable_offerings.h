// What EC2 lately refused to sell or took back: offerings that are left out for a few minutes. parity: provider-aws
// pkg/cache; beyond it, what is taken back again and again is left out for longer.
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
// Interruptions of one offering come in bunches: the second one within this time says that the whole pool of capacity
// is being emptied.
inline constexpr Duration kInterruptionWindow = 10min;
inline constexpr Duration kEmptiedFor = 10min;  // such an offering, from the last interruption on

struct OfferingKey {
  std::string instance_type, zone, capacity_type;
  std::string placement_group = {};  // its id: short only there; empty: everywhere
  int64_t partition = 0;             // of the group: short only there; 0: in all of it
  friend auto operator<=>(const OfferingKey&, const OfferingKey&) = default;
};

class UnavailableOfferings {
 public:
  void mark(const OfferingKey& offering, Instant now);
  // Every offering of the capacity type (an account without the service-linked role for spot).
  void mark_capacity_type(const std::string& capacity_type, Instant now);
  // EC2 takes this instance of the offering back.
  void mark_interrupted(const OfferingKey& offering, const std::string& instance, Instant now);
  // The subnet has no free address.
  void mark_subnet(const std::string& subnet_id, Instant now);

  // Traffic is shifted away from these zones (by id): nothing is launched there.
  void set_shifted_zones(std::set<std::string> zone_ids);
  bool zone_shifted(const std::string& zone_id) const;
  bool any_zone_shifted() const;

  // A mark counts for what it is about and for all that lies within: one of a zone for the placement groups in it, one
  // of a group for its partitions. It does not count for what lies around it.
  bool unavailable(const OfferingKey& offering, Instant now) const;
  bool subnet_unavailable(const std::string& subnet_id, Instant now) const;
  // Changes whenever an answer of the two above may: with each mark, and when one ends. What is derived from them is
  // kept under this number.
  uint64_t version(Instant now);

 private:
  void avoid(const OfferingKey& offering, Instant until);

  mutable std::mutex mutex_;
  std::map<OfferingKey, Instant> until_;  // an empty type and zone: the whole capacity type
  std::map<std::string, Instant> subnets_until_;
  std::set<std::string> shifted_;                                      // zone ids
  std::map<OfferingKey, std::map<std::string, Instant>> interrupted_;  // instances of the window, each with its time
  uint64_t version_ = 0;
};

}  // namespace tenon::cloud
