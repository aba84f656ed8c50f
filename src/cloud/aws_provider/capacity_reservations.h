// The capacity reservations of node classes, and how many instances each still takes: as EC2 last said, less what was
// launched into it since. parity: provider-aws pkg/providers/capacityreservation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kReservationTtl = 1min;
// A capacity block takes no launch from here to its end: EC2 begins to take its instances back ten minutes later.
inline constexpr Duration kBlockExpires = 40min;

// Thread rule: any thread.
class CapacityReservations {
 public:
  CapacityReservations(aws::Ec2& ec2, runtime::Runtime& runtime)
      : ec2_(ec2), runtime_(runtime), queries_(runtime, kReservationTtl) {}

  // What the class's terms select, by id; without what has ended. One query a term, one for all ids, each kept for
  // kReservationTtl.
  Result<std::vector<model::ResolvedReservation>> resolve(const model::NodeClass& node_class,
                                                          const std::stop_token& stop);

  // Instances that it still takes; none of one that EC2 has not told of.
  int64_t left(const std::string& id) const;
  // One more is being launched into it; false if it takes none. Then either took() or release().
  bool hold(const std::string& id);
  void took(const std::string& id);
  void release(const std::string& id);
  // EC2 says that it takes no more.
  void exhausted(const std::string& id);
  // An instance in it was asked to end; and has gone: its place is free again.
  void leaving(const std::string& instance_id, const std::string& id);
  void gone(const std::string& instance_id);

 private:
  using Listed = std::vector<aws::CapacityReservation>;
  struct Count {
    int64_t listed = 0, held = 0;
    std::multiset<Instant> taken, freed;  // after EC2 was asked last
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
