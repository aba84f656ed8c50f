// The security groups of a node class. parity: provider-aws pkg/providers/securitygroup
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kSecurityGroupTtl = 1min;

// Thread rule: any thread.
class SecurityGroups {
 public:
  SecurityGroups(aws::Ec2& ec2, runtime::Runtime& runtime) : ec2_(ec2), cache_(runtime, kSecurityGroupTtl) {}
  // By id. Cached by the class's uid and generation.
  Result<std::vector<model::ResolvedSecurityGroup>> resolve(const model::NodeClass& node_class,
                                                            const std::stop_token& stop);

 private:
  aws::Ec2& ec2_;
  TtlMap<std::string, std::vector<model::ResolvedSecurityGroup>> cache_;
};

}  // namespace tenon::cloud
