// Resolves node classes, and compares instances with them.
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node_claim.h"
#include "model/node_class.h"
#include "model/node_pool.h"

namespace tenon::cloud {

class NodeClassReader {
 public:
  virtual ~NodeClassReader() = default;

  // Returns whether the provider launches from node classes of this group and kind, with any name. NodePools and
  // NodeClaims of other kinds belong to other controllers. Pure. parity: karpenter pkg/cloudprovider
  // GetSupportedNodeClasses
  virtual bool manages(const model::NodeClassRef& ref) const = 0;

  // Returns the node class with its status filled in (subnets, security groups, AMIs, profile) and its conditions set.
  // A request that the cloud denies becomes a condition, not an error. `pools` are those that launch from the node
  // class; dry runs use a type that they allow. The instance profile of a class with
  // a role is created if it is missing: the status names it, and nothing else depends on it.
  virtual Result<model::NodeClass> resolve(const model::NodeClass& node_class,
                                           const std::vector<model::NodePool>& pools, const std::stop_token& stop) = 0;
  // Returns the hash of the node class's drift-relevant fields; hash_version() returns the version of that hash. Empty:
  // instances of the class never drift from it.
  virtual std::string hash(const model::NodeClass& node_class) const = 0;
  virtual std::string hash_version() const = 0;

  // Returns why the instance no longer matches its node class ("AMIDrift", "SubnetDrift", …); empty if it matches.
  virtual Result<std::string> drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                      const std::stop_token& stop) = 0;
};

}  // namespace tenon::cloud
