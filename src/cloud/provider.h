// The cloud, as the controllers see it. cloud/aws_provider talks to EC2; cloud/testing holds an in-memory double that
// passes the same conformance tests. parity: karpenter pkg/cloudprovider/types.go
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
  std::string claim_name, pool, cluster;  // from its tags; empty if it has none
  model::StringMap labels;                // what the claim gets: type, zone, capacity type, …
  model::StringMap annotations;           // node class hash and its version
  model::Resources capacity, allocatable;
  Instant launched_at{};
  bool deleting = false;  // shutting down
};

struct Zone {
  std::string name, id;  // us-east-1a, use1-az1; the name may be unknown
  friend bool operator==(const Zone&, const Zone&) = default;
};

// A Node whose condition has this status for longer than the toleration is sick beyond recovery.
struct RepairPolicy {
  std::string condition, status;
  Duration toleration;
};

// What a Node must not take pods without, found out when it has joined.
struct BeforeRegistration {
  model::StringMap labels;           // that the claim and its Node get
  std::vector<std::string> pending;  // names of what could not be found out yet
};

// The reason and the message of an event.
struct LaunchWarning {
  std::string reason, message;
};

using InstanceTypes = std::shared_ptr<const std::vector<model::InstanceType>>;

class Provider {
 public:
  virtual ~Provider() = default;

  // The provider launches from node classes of this group and kind, whatever the name. NodePools and NodeClaims of
  // other kinds belong to other controllers. Pure. parity: karpenter pkg/cloudprovider GetSupportedNodeClasses
  virtual bool manages(const model::NodeClassRef& ref) const = 0;

  // Buys what the claim leaves open, at the lowest price: of `types`, which say what the claim's pool believes (with
  // NodeOverlays), or if null of instance_types(). Repeating the call for the same claim (uid) never buys twice.
  // Errors: kInsufficientCapacity (no offering was to be had: delete the claim), kConflict (the node class is not
  // ready: delete the claim), others: retry.
  virtual Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                  const InstanceTypes& types, const std::stop_token& stop) = 0;
  // The claim's Node has joined: what the launch could not tell of its instance. Asked again until nothing is pending.
  // parity: karpenter pkg/cloudprovider NodeLifecycleHook
  virtual BeforeRegistration before_registration(const model::NodeClaim&, const model::NodeClass&,
                                                 const std::stop_token&) {
    return {};
  }
  // Asks for the end of an instance; kNotFound once it is gone.
  virtual Status remove(const std::string& provider_id, const std::stop_token& stop) = 0;
  virtual Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) = 0;
  // Every instance of this cluster that is not terminated.
  virtual Result<std::vector<Instance>> list(const std::stop_token& stop) = 0;

  // Gives the instance of a claim the tags that were not known when it was bought: the name of its Node, of the claim
  // and of the cluster. Tags that are there stay. True if something was written. Errors: kNotFound, it has gone.
  virtual Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) = 0;

  // What pods of this pool can be given: types with offerings, prices and unavailable ones marked. Cached; asks the
  // cloud when that has become old. Errors: kNotFound (no such node class), kConflict (it is not ready).
  virtual Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token& stop) = 0;

  // The same of what has been asked before: never asks, never blocks. Errors: as of instance_types(); kUnavailable
  // (nothing has been asked yet).
  virtual Result<InstanceTypes> known_types(const model::NodeClass& node_class) = 0;

  // The reason why the instance no longer matches its node class ("AMIDrift", "SubnetDrift", …); empty if it does.
  virtual Result<std::string> drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                      const std::stop_token& stop) = 0;

  // The node class with its status filled in (subnets, security groups, AMIs, profile) and its conditions set; a cloud
  // that says no is a condition, not an error. `pools` are those that launch from it: what they allow is tried.
  virtual Result<model::NodeClass> resolve(const model::NodeClass& node_class,
                                           const std::vector<model::NodePool>& pools, const std::stop_token& stop) = 0;
  // Removes what was made for a node class (launch templates, its instance profile).
  virtual Status finalize(const model::NodeClass& node_class, const std::stop_token& stop) = 0;
  // Removes the instance profiles that were made for node classes of this cluster and are not `in_use` (names) nor were
  // resolved lately; answers their names.
  virtual Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>& in_use,
                                                                 const std::stop_token& stop) = 0;
  // The hash of the node class's drift-relevant fields, and the version of that hash.
  virtual std::string hash(const model::NodeClass& node_class) const = 0;
  virtual std::string hash_version() const = 0;

  // A Node of this claim reports its resources: from now on types of that name are believed to have them.
  virtual void learn(const model::NodeClaim& claim, const model::NodeClass& node_class,
                     const model::Resources& capacity) = 0;

  // The cloud is about to take this claim's spot or reserved instance back: it is short of such capacity, so that
  // nothing new is bought there for a while. Telling it again of the same claim changes nothing.
  virtual void taken_back(const model::NodeClaim& claim) = 0;
  // The cloud has said that it will take this claim's instance, or harm it: its end is no surprise.
  virtual void end_announced(const model::NodeClaim&) {}
  // The NodePools, one entry an instance, of what ended before the last list() though it was in the one before it and
  // neither we ended it nor the cloud had announced it. Each is told once.
  virtual std::vector<std::string> take_lost() { return {}; }
  // Instances of any cluster that have been sick for long enough, or have an event scheduled; by id. Errors:
  // kForbidden, we may not ask.
  virtual Result<std::vector<SickInstance>> sick_instances(const std::stop_token& stop) = 0;

  // The zones, by id, that traffic of the cluster is shifted away from, asked now. Until the next answer nothing is
  // launched there, and what is asked about instances there is kUnavailable. Errors: kNotFound, the cluster is not
  // enrolled.
  virtual Result<std::vector<Zone>> shifted_zones(const std::stop_token& stop) = 0;

  // The word for a launch's error in the claim's condition: "Unauthorized", "LaunchFailed", …
  virtual std::string launch_failure(const Error& error) const = 0;
  // What is wrong beyond this launch, for a Warning event on the claim; nothing for most errors.
  virtual std::optional<LaunchWarning> launch_warning(const Error&) const { return std::nullopt; }
  virtual std::vector<RepairPolicy> repair_policies() const = 0;
};

}  // namespace tenon::cloud
