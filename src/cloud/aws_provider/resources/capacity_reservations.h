// The capacity reservations of node classes and the number of instances that each still accepts: EC2's last count,
// minus launches and plus terminations since. parity: provider-aws pkg/providers/capacityreservation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kReservationTtl = 1min;
// A capacity block accepts no launch in this period before its end: EC2 begins to reclaim instances ten minutes into
// it.
inline constexpr Duration kBlockExpires = 40min;

// Thread rule: any thread.
class CapacityReservations {
 public:
  CapacityReservations(aws::Ec2& ec2, runtime::Runtime& runtime)
      : ec2_(ec2), runtime_(runtime), queries_(runtime, kReservationTtl) {}

  // Returns the active reservations that the class's terms select, by id. Sends one query for each term without an id
  // and one for all ids; each result is cached for kReservationTtl.
  Result<std::vector<model::ResolvedReservation>> resolve(const model::NodeClass& node_class,
                                                          const std::stop_token& stop);

  // Returns how many instances the reservation still accepts; 0 for a reservation that EC2 has not listed.
  int64_t left(const std::string& id) const;
  // Reserves a place for a launch; false if none is left. took() or release() must follow.
  bool hold(const std::string& id);
  void took(const std::string& id);
  void release(const std::string& id);
  // EC2 rejected a launch because the reservation is full.
  void exhausted(const std::string& id);
  // leaving(): the termination of an instance in the reservation was requested. gone(): it is terminated, its place is
  // free.
  void leaving(const std::string& instance_id, const std::string& id);
  void gone(const std::string& instance_id);

 private:
  using Listed = std::vector<aws::CapacityReservation>;
  struct Count {
    int64_t listed = 0, held = 0;
    std::multiset<Instant> taken, freed;  // after the last request to EC2
  };
  Result<Listed> ask(const std::string& key, const std::vector<std::string>& ids, const aws::Filters& filters,
                     const std::stop_token& stop);
  int64_t left_of(const Count& count) const;

  aws::Ec2& ec2_;
  runtime::Runtime& runtime_;
  TtlMap<std::string, Listed> queries_;
  mutable std::mutex mutex_;
  std::map<std::string, Count> counts_;
  std::map<std::string, std::string> leaving_;  // instance → reservation
};

}  // namespace tenon::cloud
