// The tags on what the provider makes, and the ids in a provider id. Pure. parity: provider-aws pkg/utils/utils.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/query_protocol.h"
#include "model/node_claim.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr std::string_view kTagCluster = "eks:eks-cluster-name";
inline constexpr std::string_view kTagNodeClaim = "karpenter.sh/nodeclaim";
inline constexpr std::string_view kTagName = "Name";

// The node class's own tags, then ours, which win. `pool` may be empty (a validation's template).
aws::Tags instance_tags(const model::NodeClass& node_class, std::string_view cluster, std::string_view pool);
// What an instance is called, once its Node is there.
aws::Tags naming_tags(const model::NodeClaim& claim, std::string_view cluster);
// Of an instance profile.
aws::Tags profile_tags(const model::NodeClass& node_class, std::string_view cluster, std::string_view region);
// The keys of spec.tags that only we may set, sorted.
std::vector<std::string> restricted_tags(const model::StringMap& tags);

// "aws:///us-east-1a/i-0123" → zone and id; nothing if it is no such thing.
struct ProviderId {
  std::string zone, instance_id;
};
std::optional<ProviderId> parse_provider_id(std::string_view text);
std::string format_provider_id(std::string_view zone, std::string_view instance_id);

}  // namespace tenon::cloud
