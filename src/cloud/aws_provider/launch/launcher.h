// Launches the instance of a NodeClaim, or of each claim in a batch: choose types → launch templates → one Fleet → its
// errors, until there is an instance or an error. A state machine: a step repeats only for a deleted template or a
// reused ClientToken (launch_errors.h); launcher.cc lists the order and what a crash leaves behind.
// parity: provider-aws pkg/providers/instance/instance.go
// launcher_fleet.cc makes the request, launcher_adoption.cc finds what earlier calls launched, launcher_learning.cc
// records what errors teach.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/launch/instance_metrics.h"
#include "cloud/aws_provider/launch/launch_choice.h"
#include "cloud/aws_provider/launch/launch_errors.h"
#include "cloud/aws_provider/launch/launch_group.h"
#include "cloud/aws_provider/launch/launch_templates.h"
#include "cloud/aws_provider/launch/launched_instance.h"
#include "cloud/aws_provider/resources/capacity_reservations.h"
#include "cloud/aws_provider/resources/cluster.h"
#include "cloud/aws_provider/resources/placement_groups.h"
#include "cloud/aws_provider/resources/subnets.h"
#include "cloud/aws_provider/types/unavailable_offerings.h"
#include "cloud/aws_provider/util/call_batcher.h"
#include "cloud/launch_batch.h"
#include "cloud/provider.h"
#include "log/log.h"

namespace tenon::cloud {

// Maximum CreateFleet calls in one create(); a deleted template and a reused token, in any order, cause a repetition.
inline constexpr int kMaxLaunchSteps = 4;

// A batch waits for its members this long: from the first one on, and after each one.
inline constexpr Duration kBatchLongest = 2s, kBatchIdle = 500ms;
// A tag of instances that one call launched for several claims: "<id of the batch>:<members>".
inline constexpr std::string_view kTagLaunchBatch = "tenon.dev/launch-batch";

// The input of one Fleet: instances for equivalent claims, represented by one of them.
struct LaunchOrder {
  const model::NodeClaim& claim;
  const model::NodeClass& node_class;
  const std::vector<model::InstanceType>& types;
  std::string batch = {};          // id of the batch; empty: for this claim only
  std::vector<int> members = {0};  // of the batch, ascending
};
struct Launched {
  std::map<int, Instance> instances;  // by member
  Error capacity_error;               // the error of each member without an instance
};

// Thread rule: any thread.
class Launcher {
 public:
  struct Services {
    aws::Client& client;
    aws::Ec2& ec2;
    Subnets& subnets;
    LaunchTemplates& templates;
    UnavailableOfferings& unavailable;
    ClusterInfo& cluster;
    CapacityReservations& reservations;
    PlacementGroups& placement_groups;
    InstanceMetrics& metrics;
  };
  struct Options {
    std::string cluster_name;
    bool reserved_capacity = true;
    tenon::log::Logger log = {};  // problems for the operator; offerings that a launch leaves out (debug)
  };
  Launcher(Services services, Options options) : services_(services), options_(std::move(options)) {}

  // Launches an instance for the claim. Waits for the other claims of its batch (cloud/launch_batch.h) and launches for
  // all by one call. Errors: kInsufficientCapacity, and those of the calls.
  Result<Instance> launch(const model::NodeClaim& claim, const model::NodeClass& node_class,
                          const std::vector<model::InstanceType>& types, const std::stop_token& stop);

  // Returns the input of a launch's user data; validation uses it too. The caller sets max_pods, labels, taints and
  // mounts_storage_itself.
  Result<Bootstrap> bootstrap_for(const model::NodeClass& node_class, const std::stop_token& stop);

 private:
  struct Attempt {
    const LaunchOrder& order;
    const LaunchChoice& choice;
    aws::Tags tags;
    std::optional<aws::PlacementGroup> placement_group;
    int64_t partition = 0;  // of the placement group; 0: EC2 chooses
  };
  using Instances = std::map<std::string, Instance>;      // by id
  using ReservedPlaces = std::map<std::string, int64_t>;  // places by reservation

  Result<Launched> launch_once(const LaunchOrder& order, const std::stop_token& stop);
  Result<Launched> launch_missing(const LaunchOrder& order, const LaunchBatch& batch, const std::stop_token& stop);
  Result<Instances> launch_chosen(const LaunchOrder& order, LaunchChoice choice, Error& capacity_error,
                                  const std::stop_token& stop);
  Result<Instances> step(const Attempt& attempt, const std::stop_token& stop, LaunchProblem& problem,
                         Error& capacity_error);
  Result<aws::FleetInput> make_fleet(const Attempt& attempt, const std::map<std::string, std::string>& subnets,
                                     const std::stop_token& stop);
  Status add_own_templates(const Attempt& attempt, const std::map<std::string, std::string>& subnets,
                           const std::stop_token& stop, aws::FleetInput& fleet);
  Result<Instances> take_instances(const Attempt& attempt, const aws::Fleet& fleet) const;
  std::optional<Instance> known_instance(const aws::InstanceInfo& info, const LaunchChoice& choice,
                                         const LaunchOrder& order) const;
  Result<std::map<int, Instance>> launched_before(const LaunchOrder& order, const LaunchChoice& choice,
                                                  const std::stop_token& stop);
  Result<Instances> adopt(const Attempt& attempt, const std::stop_token& stop);
  Result<int64_t> settle_partition(const model::NodeClaim& claim, const aws::PlacementGroup& group,
                                   LaunchChoice& choice) const;
  void record_errors(const Attempt& attempt, const std::vector<aws::FleetError>& errors);
  void record_reserved_error(const Attempt& attempt, const aws::FleetError& error);
  static OfferingKey within_group(OfferingKey offering, const Attempt& attempt, const aws::FleetError& error);
  Result<size_t> take_reserved_places(LaunchChoice& choice, size_t wanted, ReservedPlaces& held);
  void return_unused_places(const ReservedPlaces& held, const Instances& instances);
  std::string token_of(const LaunchOrder& order);
  void next_attempt(const LaunchOrder& order);

  const Services services_;
  const Options options_;
  std::mutex mutex_;
  std::map<std::string, int> attempts_;  // by launch_key; a key without an entry is at its first attempt
  using Batcher = CallBatcher<Result<Instance>>;
  std::map<std::string, std::shared_ptr<Batcher>> batchers_;  // by batch id; of batches with waiting callers
};

// Returns a warning if on-demand is requested although the claim allows spot, with fewer than kFlexibleTypes types;
// otherwise std::nullopt. parity: instance.go checkODFallback. Pure.
inline constexpr size_t kFlexibleTypes = 5;
std::optional<std::string> narrow_fallback(const model::NodeClaim& claim, const LaunchChoice& choice);

}  // namespace tenon::cloud
