// The subnets of a node class, and how many addresses launches in flight will take from them.
// parity: provider-aws pkg/providers/subnet/subnet.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/refreshed.h"
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

  // Zone → the subnet with most free addresses after those that launches in flight will take; `ips[zone]` are then
  // counted as taken from the chosen one.
  std::map<std::string, std::string> choose(const std::vector<model::ResolvedSubnet>& subnets,
                                            const std::map<std::string, int64_t>& ips);
  // Gives back what choose() took from the subnets of zones in which nothing was launched.
  void give_back(const std::map<std::string, std::string>& chosen, const std::map<std::string, int64_t>& ips,
                 const std::string& used_zone);
  // EC2 says that the subnet is full.
  void mark_full(const std::string& subnet_id);
  int64_t free_ips(const std::string& subnet_id) const;  // as last seen, less what is in flight

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
