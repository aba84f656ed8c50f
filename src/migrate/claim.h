// The NodeClaim of a node that runs already. Everything in it is read from the Node, its NodePool and its instance, so
// that a run that was interrupted after the node's earlier NodeClaim was deleted makes the same one. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "aws/ec2.h"
#include "base/instant.h"
#include "base/result.h"

namespace tenon::migrate {

// A NodeClaim counts its age from its own creation. So the new one expires when the node would have expired, but not
// earlier than this after the conversion.
inline constexpr Duration kLeastLife = 1h;

struct ClaimOf {
  const boost::json::value& node;
  const boost::json::value& pool;  // the NodePool, which may not exist yet
  const aws::InstanceInfo& instance;
  std::string name;
  Instant now{};
};
// Returns the document with its status; its owner, the NodePool, has no uid. Errors: kInvalid, a field of the Node or
// of the NodePool cannot be read.
Result<boost::json::value> make_claim(const ClaimOf& of);

// Returns the name of a NodeClaim for an instance: "default-0123456789abcdef0".
std::string claim_name(const std::string& pool, const std::string& instance_id);

}  // namespace tenon::migrate
