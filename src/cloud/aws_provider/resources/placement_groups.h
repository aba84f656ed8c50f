// The placement group that a node class names. parity: provider-aws pkg/providers/placementgroup
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "aws/ec2.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kPlacementGroupTtl = 1min;
inline constexpr Duration kPlacementGroupStale = 24h;  // a result this old is used if EC2 returns an error

// Thread rule: any thread.
class PlacementGroups {
 public:
  PlacementGroups(aws::Ec2& ec2, runtime::Runtime& runtime)
      : ec2_(ec2), fresh_(runtime, kPlacementGroupTtl), stale_(runtime, kPlacementGroupStale) {}

  // Returns std::nullopt if the class names no group. Errors: kNotFound, the named group does not exist.
  Result<std::optional<aws::PlacementGroup>> resolve(const model::NodeClass& node_class, const std::stop_token& stop);
  // Returns the last resolved group, at most kPlacementGroupStale old; std::nullopt otherwise.
  std::optional<aws::PlacementGroup> known(const model::NodeClass& node_class) const;

 private:
  aws::Ec2& ec2_;
  TtlMap<std::string, aws::PlacementGroup> fresh_, stale_;  // by "id pg-1" or "name spread"
};

// Returns an open partition that the claim's requirement allows, the first in text order; 0 if the claim has no such
// requirement, or no partition remains.
using IsOpen = std::function<bool(int64_t partition)>;
int64_t pick_partition(const model::Requirements& requirements, int64_t partitions, const IsOpen& open = {});

}  // namespace tenon::cloud
