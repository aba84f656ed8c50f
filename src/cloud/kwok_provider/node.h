// The Node that stands for an instance: its document at the launch of a NodeClaim, and the instance that a Node shows.
// Pure. parity: karpenter kwok/cloudprovider/cloudprovider.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "cloud/instance.h"
#include "model/node.h"
#include "model/node_claim.h"

namespace tenon::cloud {

// Returns the name of the claim's Node. The same claim (uid) always has the same one, so that no launch is repeated.
std::string kwok_node_name(const model::NodeClaim& claim);

// The unregistered Node has the labels of the claim, of its requirements with a single value, and of the type and the
// offering. Registration copies annotations and taints of the claim to it.
boost::json::value make_kwok_node(const model::NodeClaim& claim, const model::InstanceType& type,
                                  const model::Offering& offering);

bool is_kwok_node(const model::Node& node);  // by its provider id
// Returns whether the instance has ended although its Node still exists: the Node is deleted and not ours to drain.
bool has_ended(const model::Node& node);
Instance instance_of(const model::Node& node);

}  // namespace tenon::cloud
