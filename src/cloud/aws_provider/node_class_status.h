// Status and conditions of an EC2NodeClass: what its selectors mean today, and whether it can launch.
// parity: provider-aws pkg/controllers/nodeclass
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "aws/ec2.h"
#include "cloud/aws_provider/amis.h"
#include "cloud/aws_provider/cluster.h"
#include "cloud/aws_provider/instance_profiles.h"
#include "cloud/aws_provider/instance_types.h"
#include "cloud/aws_provider/launcher.h"
#include "cloud/aws_provider/market_metrics.h"
#include "cloud/aws_provider/security_groups.h"
#include "cloud/aws_provider/subnets.h"
#include "model/condition_set.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kValidationTtl = 30min;  // a verdict of the dry runs
inline constexpr size_t kUserDataLimit = 16'384;   // bytes that EC2 takes, decoded
inline constexpr size_t kUserDataWarning = kUserDataLimit * 9 / 10;

// Why spec.tags or spec.kubelet cannot be used; empty if they can. Pure.
struct Refusal {
  std::string reason, message;
};
std::optional<Refusal> refuse_spec(const model::NodeClass& node_class);

// Thread rule: any thread.
class NodeClassStatus {
 public:
  struct Services {
    aws::Client& client;
    aws::Ec2& ec2;
    Amis& amis;
    Subnets& subnets;
    SecurityGroups& security_groups;
    InstanceProfiles& profiles;
    LaunchTemplates& templates;
    ClusterInfo& cluster;
    Launcher& launcher;
    InstanceTypeList& types;
    CapacityReservations& reservations;
    PlacementGroups& placement_groups;
    MarketMetrics& market;
  };
  struct Options {
    std::string cluster_name;
    bool dry_runs = true;  // DISABLE_DRY_RUN turns them off
    bool reserved_capacity = true;
    std::function<void(const std::string& line)> warn = {};  // of user data that is nearly too large; may be empty
  };
  NodeClassStatus(Services services, Options options)
      : services_(services), options_(std::move(options)), verdicts_(services.client.runtime(), kValidationTtl) {}

  // The class with its status filled in. What AWS refuses is a condition. Errors: what another try may change
  // (kThrottled, kUnavailable, kTimeout, kCancelled), and what AWS newly refuses though the last answer still stands;
  // but first what the other parts found is returned, and the error once they find nothing new.
  // `pools`: those that launch from it.
  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>& pools,
                                   const std::stop_token& stop);

 private:
  Status resolve_amis(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_reservations(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_placement_group(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_subnets(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_groups(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_profile(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  // Whether user data can be made of the class: the cluster's network is known, and spec.userData can be merged with.
  Result<std::optional<Refusal>> check_user_data(const model::NodeClass& node_class, const std::stop_token& stop);
  using Pools = std::vector<model::NodePool>;
  Status validate(model::NodeClass& out, const Pools& pools, model::ConditionSet& conditions,
                  const std::stop_token& stop);
  // What a launch of the class would be, small: one type that its pools allow (if there are any), its image, the
  // subnets in which it is sold.
  struct Sample {
    std::string type, image_id, tenancy;
    std::vector<std::string> subnet_ids;
  };
  Result<Sample> pick_sample(const model::NodeClass& node_class, const Pools& pools, const std::stop_token& stop);
  Result<std::optional<Refusal>> dry_run(const model::NodeClass& node_class, const Pools& pools,
                                         const std::stop_token& stop);
  Status dry_run_instances(const Sample& sample, const std::string& launch_template, const aws::Tags& tags,
                           const std::stop_token& stop);

  const Services services_;
  const Options options_;
  TtlMap<std::string, std::string> verdicts_;  // class name → fingerprint of what was found valid
};

}  // namespace tenon::cloud
