// The interface of the controllers to the cloud. cloud/aws_provider calls EC2; controllers/testing/wired.h has an
// in-memory double. parity: karpenter pkg/cloudprovider/types.go
//
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cloud/interruption.h"
#include "model/instance_type.h"
#include "model/node_claim.h"
#include "model/node_class.h"
#include "model/node_pool.h"

namespace tenon::cloud {

// An instance that exists, as the cloud describes it.
struct Instance {
  std::string provider_id;  // aws:///us-east-1a/i-0123456789abcdef0
  std::string instance_type, zone, zone_id, capacity_type, image_id;
  std::string claim_name, pool, cluster;  // from its tags; empty without the tag
  std::string launch_batch;               // id of the batch that one call launched, from its tag; empty without the tag
  model::StringMap labels;                // that the claim gets: type, zone, capacity type, …
  model::StringMap annotations;           // node class hash and its version, instance profile
  model::Resources capacity, allocatable;
  Instant launched_at{};
  bool deleting = false;  // shutting down
};

struct Zone {
  std::string name, id;  // us-east-1a, use1-az1; the name may be unknown
  friend bool operator==(const Zone&, const Zone&) = default;
};

// A Node whose condition has this status for longer than the toleration is unhealthy beyond recovery.
struct RepairPolicy {
  std::string condition, status;
  Duration toleration;
};

// Facts that a Node needs before it accepts pods. They are determined after it has joined.
struct BeforeRegistration {
  model::StringMap labels;           // that the claim and its Node get
  std::vector<std::string> pending;  // names of facts that could not be determined yet
};

// The reason and the message of an event.
struct LaunchWarning {
  std::string reason, message;
};

using InstanceTypes = std::shared_ptr<const std::vector<model::InstanceType>>;

class Provider {
 public:
  virtual ~Provider() = default;

  // Returns whether the provider launches from node classes of this group and kind, with any name. NodePools and
  // NodeClaims of other kinds belong to other controllers. Pure. parity: karpenter pkg/cloudprovider
  // GetSupportedNodeClasses
  virtual bool manages(const model::NodeClassRef& ref) const = 0;

  // Launches the lowest-priced offering that the claim allows, from `types` (the view of the claim's pool, with
  // NodeOverlays) or, if null, from instance_types(). Repeated calls for the same claim (uid) never launch twice.
  // Errors: kInsufficientCapacity (no offering was available: delete the claim), kConflict (the node class is not
  // ready: delete the claim), others: retry.
  virtual Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                  const InstanceTypes& types, const std::stop_token& stop) = 0;
  // Determines the facts about the instance that the launch did not return, once the claim's Node has joined. Called
  // again until `pending` is empty.
  // parity: karpenter pkg/cloudprovider NodeLifecycleHook
  virtual BeforeRegistration before_registration(const model::NodeClaim&, const model::NodeClass&,
                                                 const std::stop_token&) {
    return {};
  }
  // Requests the termination of an instance; kNotFound once it is terminated.
  virtual Status remove(const std::string& provider_id, const std::stop_token& stop) = 0;
  virtual Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) = 0;
  // Returns every instance of this cluster that is not terminated.
  virtual Result<std::vector<Instance>> list(const std::stop_token& stop) = 0;

  // Adds the tags that were unknown at the launch to the claim's instance: the names of its Node, of the claim and of
  // the cluster. Keeps existing tags. Returns true if it wrote a tag. Errors: kNotFound, the instance is terminated.
  virtual Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) = 0;

  // Returns the types that can launch from this node class, with offerings, prices, and unavailable offerings marked.
  // Cached; sends requests to the cloud once the cache has expired. Errors: kConflict (the node class is not ready),
  // kUnavailable (its readiness is not known yet), those of the calls.
  virtual Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token& stop) = 0;

  // Returns the same from the cache: sends no request, never blocks. Errors: kConflict, as above; kUnavailable, also if
  // nothing is cached yet.
  virtual Result<InstanceTypes> known_types(const model::NodeClass& node_class) = 0;

  // Returns why the instance no longer matches its node class ("AMIDrift", "SubnetDrift", …); empty if it matches.
  virtual Result<std::string> drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                      const std::stop_token& stop) = 0;

  // Returns the node class with its status filled in (subnets, security groups, AMIs, profile) and its conditions set.
  // A request that the cloud denies becomes a condition, not an error. `pools` are those that launch from the node
  // class; dry runs use a type that they allow.
  virtual Result<model::NodeClass> resolve(const model::NodeClass& node_class,
                                           const std::vector<model::NodePool>& pools, const std::stop_token& stop) = 0;
  // Removes what was created for a node class (launch templates, its instance profile).
  virtual Status finalize(const model::NodeClass& node_class, const std::stop_token& stop) = 0;
  // Removes the instance profiles that were created for node classes of this cluster, are not `in_use` (names) and were
  // not resolved recently. Returns their names.
  virtual Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>& in_use,
                                                                 const std::stop_token& stop) = 0;
  // Returns the hash of the node class's drift-relevant fields; hash_version() returns the version of that hash.
  virtual std::string hash(const model::NodeClass& node_class) const = 0;
  virtual std::string hash_version() const = 0;

  // Records the resources that a Node of this claim reports. Later instance_types() uses them for the claim's type
  // (AWS: memory only, the lowest value for the same AMIs).
  virtual void learn(const model::NodeClaim& claim, const model::NodeClass& node_class,
                     const model::Resources& capacity) = 0;

  // Reports that the cloud is about to reclaim this claim's spot or reserved instance. The cloud has insufficient
  // capacity of that offering, so nothing is launched from it for a while. A repeated call for the same claim has no
  // effect.
  virtual void taken_back(const model::NodeClaim& claim) = 0;
  // Reports that the cloud has announced that it will reclaim or impair this claim's instance: its end is not
  // unexpected.
  virtual void end_announced(const model::NodeClaim&) {}
  // Returns the NodePools of lost instances, one entry for each. A lost instance was in the list() before the last one
  // but not in the last one, and neither did we terminate it nor did the cloud announce its end. Each is returned once.
  virtual std::vector<std::string> take_lost() { return {}; }
  // Returns the instances of any cluster that have been unhealthy for long enough or have a scheduled event, by id.
  // Errors: kForbidden, the permission is missing.
  virtual Result<std::vector<SickInstance>> sick_instances(const std::stop_token& stop) = 0;

  // Requests the zones, by id, that a zonal shift moves the cluster's traffic away from. Until the next result, nothing
  // is launched in them, and requests about instances in them return kUnavailable. Errors: kNotFound, the cluster is
  // not enrolled.
  virtual Result<std::vector<Zone>> shifted_zones(const std::stop_token& stop) = 0;

  // Returns the reason of the claim's condition for a launch error: "Unauthorized", "LaunchFailed", …
  virtual std::string launch_failure(const Error& error) const = 0;
  // Returns a Warning event for the claim if the error's cause goes beyond this launch; std::nullopt for most errors.
  virtual std::optional<LaunchWarning> launch_warning(const Error&) const { return std::nullopt; }
  virtual std::vector<RepairPolicy> repair_policies() const = 0;
};

}  // namespace tenon::cloud
