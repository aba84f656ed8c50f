// The writes to the cloud. Only the executor of plans (controllers/apply) holds this role.
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cloud/instance.h"
#include "model/node_claim.h"
#include "model/node_class.h"

namespace tenon::cloud {

class Writer {
 public:
  virtual ~Writer() = default;

  // Launches the lowest-priced offering that the claim allows, from `types` (the view of the claim's pool, with
  // NodeOverlays) or, if null, from instance_types(). Repeated calls for the same claim (uid) never launch twice.
  // Errors: kInsufficientCapacity (no offering was available: delete the claim), kConflict (the node class is not
  // ready: delete the claim), others: retry.
  virtual Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                  const InstanceTypes& types, const std::stop_token& stop) = 0;
  // Requests the termination of an instance; kNotFound once it is terminated.
  virtual Status remove(const std::string& provider_id, const std::stop_token& stop) = 0;
  // Adds the tags that were unknown at the launch to the claim's instance: the names of its Node, of the claim and of
  // the cluster. Keeps existing tags. Returns true if it wrote a tag. Errors: kNotFound, the instance is terminated.
  virtual Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) = 0;

  // Removes what was created for a node class (launch templates, its instance profile).
  virtual Status finalize(const model::NodeClass& node_class, const std::stop_token& stop) = 0;
  // Removes the instance profiles that were created for node classes of this cluster, are not `in_use` (names) and were
  // not resolved recently. Returns their names.
  virtual Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>& in_use,
                                                                 const std::stop_token& stop) = 0;
  // Reports that the cloud is about to reclaim this claim's spot or reserved instance. The cloud has insufficient
  // capacity of that offering, so nothing is launched from it for a while. A repeated call for the same claim has no
  // effect.
  virtual void taken_back(const model::NodeClaim& claim) = 0;
  // Reports that the cloud has announced that it will reclaim or impair this claim's instance: its end is not
  // unexpected.
  virtual void end_announced(const model::NodeClaim&) {}
};

}  // namespace tenon::cloud
