// The subnets of a node class, and the number of addresses that launches in flight will use.
// parity: provider-aws pkg/providers/subnet/subnet.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kSubnetTtl = 1min;

// Thread rule: any thread.
class Subnets {
 public:
  Subnets(aws::Ec2& ec2, runtime::Runtime& runtime, Duration good_for = kSubnetTtl)
      : ec2_(ec2), cache_(runtime, good_for) {}

  // Most free addresses first. Cached by the class's uid and generation.
  Result<std::vector<model::ResolvedSubnet>> resolve(const model::NodeClass& node_class, const std::stop_token& stop);

  // Returns, for each zone, the subnet with the most free addresses after launches in flight, and counts `ips[zone]`
  // addresses as in flight in it.
  std::map<std::string, std::string> choose(const std::vector<model::ResolvedSubnet>& subnets,
                                            const std::map<std::string, int64_t>& ips);
  // Reverts the count of choose() for the zones in which nothing was launched.
  void give_back(const std::map<std::string, std::string>& chosen, const std::map<std::string, int64_t>& ips,
                 const std::string& used_zone);
  // EC2 reported that the subnet is full.
  void mark_full(const std::string& subnet_id);
  int64_t free_ips(const std::string& subnet_id) const;  // at the last request, minus those in flight

 private:
  struct Count {
    int64_t seen = 0, in_flight = 0;
  };
  aws::Ec2& ec2_;
  TtlMap<std::string, std::vector<model::ResolvedSubnet>> cache_;
  mutable std::mutex mutex_;
  std::map<std::string, Count> counts_;
};

}  // namespace tenon::cloud
