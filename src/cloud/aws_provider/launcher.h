// The launch of one NodeClaim: choose types → launch templates → one Fleet → its errors, until there is an instance or
// a reason why not. A state machine whose steps repeat only for the reasons of launch_errors.h. parity: provider-aws
// pkg/providers/instance/instance.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "cloud/aws_provider/call_batcher.h"
#include "cloud/aws_provider/capacity_reservations.h"
#include "cloud/aws_provider/cluster.h"
#include "cloud/aws_provider/instance_metrics.h"
#include "cloud/aws_provider/launch_choice.h"
#include "cloud/aws_provider/launch_errors.h"
#include "cloud/aws_provider/launch_group.h"
#include "cloud/aws_provider/launch_templates.h"
#include "cloud/aws_provider/launched_instance.h"
#include "cloud/aws_provider/placement_groups.h"
#include "cloud/aws_provider/subnets.h"
#include "cloud/aws_provider/unavailable_offerings.h"
#include "cloud/launch_batch.h"
#include "cloud/provider.h"

namespace tenon::cloud {

// Fleet calls for one create(): a lost template, a reused token, in any order.
inline constexpr int kMaxLaunchSteps = 4;

// The members of a batch are awaited for so long: from the first on, and after each.
inline constexpr Duration kBatchLongest = 2s, kBatchIdle = 500ms;
// On instances that were bought for several claims: "<id of the batch>:<members>".
inline constexpr std::string_view kTagLaunchBatch = "tenon.dev/launch-batch";

// What one Fleet is asked for: instances for claims that are alike, of which one is given.
struct LaunchOrder {
  const model::NodeClaim& claim;
  const model::NodeClass& node_class;
  const std::vector<model::InstanceType>& types;
  std::string batch = {};          // its id; empty: for this claim alone
  std::vector<int> members = {0};  // of the batch, ascending
};
struct Launched {
  std::map<int, Instance> instances;  // by member
  Error shortage;                     // why a member that is missing has none
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
    bool omit_tags = false;  // test-only, see aws_provider.h
    bool reserved_capacity = true;
    std::function<void(const std::string& line)> warn = {};   // what somebody should look at; may be empty
    std::function<void(const std::string& line)> debug = {};  // may be empty
  };
  Launcher(Services services, Options options) : services_(services), options_(std::move(options)) {}

  // Claims of one batch (cloud/launch_batch.h) are awaited and bought together. Errors: kInsufficientCapacity, and
  // those of the calls.
  Result<Instance> launch(const model::NodeClaim& claim, const model::NodeClass& node_class,
                          const std::vector<model::InstanceType>& types, const std::stop_token& stop);

  // The template of a launch, ready to be made; also what validation dry-runs. max_pods and labels are the caller's.
  Result<Bootstrap> bootstrap_for(const model::NodeClass& node_class, const std::stop_token& stop);

 private:
  struct Attempt {
    const LaunchOrder& order;
    const LaunchChoice& choice;
    aws::Tags tags;
    std::optional<aws::PlacementGroup> placement_group;
    int64_t partition = 0;  // of it, that the claim asks for
  };
  using Instances = std::map<std::string, Instance>;  // by id
  using Held = std::map<std::string, int64_t>;        // places by reservation

  Result<Launched> buy(const LaunchOrder& order, const std::stop_token& stop);
  Result<Launched> buy_batch(const LaunchOrder& order, const LaunchBatch& batch, const std::stop_token& stop);
  Result<Instances> launch_chosen(const LaunchOrder& order, LaunchChoice choice, Error& shortage,
                                  const std::stop_token& stop);
  Result<Instances> step(const Attempt& attempt, const std::stop_token& stop, LaunchProblem& problem, Error& shortage);
  Result<aws::FleetInput> make_fleet(const Attempt& attempt, const std::map<std::string, std::string>& subnets,
                                     const std::stop_token& stop);
  Result<Instances> take_instances(const Attempt& attempt, const aws::Fleet& fleet) const;
  std::optional<Instance> known_instance(const aws::InstanceInfo& info, const LaunchChoice& choice,
                                         const LaunchOrder& order) const;
  Result<std::map<int, Instance>> bought_before(const LaunchOrder& order, const LaunchChoice& choice,
                                                const std::stop_token& stop);
  Result<Instances> adopt(const Attempt& attempt, const std::stop_token& stop);
  Result<int64_t> settle_partition(const model::NodeClaim& claim, const aws::PlacementGroup& group,
                                   LaunchChoice& choice) const;
  void learn(const Attempt& attempt, const std::vector<aws::FleetError>& errors);
  void learn_reserved(const Attempt& attempt, const aws::FleetError& error);
  static OfferingKey within_group(OfferingKey offering, const Attempt& attempt, const aws::FleetError& error);
  Result<size_t> hold_reservations(LaunchChoice& choice, size_t wanted, Held& held);
  void settle_reservations(const Held& held, const Instances& instances);
  std::string token_of(const LaunchOrder& order);
  void next_attempt(const LaunchOrder& order);

  const Services services_;
  const Options options_;
  std::mutex mutex_;
  std::map<std::string, int> attempts_;  // by what is launched (launch_key); what is not here is at its first
  using Batcher = CallBatcher<Result<Instance>>;
  std::map<std::string, std::shared_ptr<Batcher>> batchers_;  // of batches that somebody is in
};

// On demand is asked for although spot is allowed, of fewer types than give it a fair chance: a line for people, or
// nothing. parity: instance.go checkODFallback. Pure.
inline constexpr size_t kFlexibleTypes = 5;
std::optional<std::string> narrow_fallback(const model::NodeClaim& claim, const LaunchChoice& choice);

}  // namespace tenon::cloud
