// The tags on resources that the provider creates, and the parts of a provider id. Pure.
// parity: provider-aws pkg/utils/utils.go
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

// Returns the tag of the cluster's resources, whose value is "owned": "kubernetes.io/cluster/demo".
std::string ownership_tag(std::string_view cluster);
// Returns the node class's tags and ours; ours have precedence. `pool` may be empty (the template of a validation).
aws::Tags instance_tags(const model::NodeClass& node_class, std::string_view cluster, std::string_view pool);
// Returns the tags that name an instance once its Node exists.
aws::Tags naming_tags(const model::NodeClaim& claim, std::string_view cluster);
// Returns the tags of an instance profile.
aws::Tags profile_tags(const model::NodeClass& node_class, std::string_view cluster, std::string_view region);
// Returns the keys of `tags` that only we may set, sorted.
std::vector<std::string> restricted_tags(const model::StringMap& tags);

// "aws:///us-east-1a/i-0123" → zone and instance id; std::nullopt if the text has another form.
struct ProviderId {
  std::string zone, instance_id;
};
std::optional<ProviderId> parse_provider_id(std::string_view text);
std::string format_provider_id(std::string_view zone, std::string_view instance_id);

}  // namespace tenon::cloud
