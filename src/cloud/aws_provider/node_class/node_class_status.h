// Status and conditions of an EC2NodeClass: the objects that its selectors match now, and whether it can launch.
// parity: provider-aws pkg/controllers/nodeclass
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "aws/ec2.h"
#include "cloud/aws_provider/launch/launcher.h"
#include "cloud/aws_provider/resources/amis.h"
#include "cloud/aws_provider/resources/cluster.h"
#include "cloud/aws_provider/resources/instance_profiles.h"
#include "cloud/aws_provider/resources/security_groups.h"
#include "cloud/aws_provider/resources/subnets.h"
#include "cloud/aws_provider/types/instance_types.h"
#include "cloud/aws_provider/types/market_metrics.h"
#include "log/log.h"
#include "model/condition_set.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kValidationTtl = 30min;  // of the result of a dry run
inline constexpr size_t kUserDataLimit = 16'384;   // EC2's limit in bytes, decoded
inline constexpr size_t kUserDataWarning = kUserDataLimit * 9 / 10;

// The reason why spec.tags or spec.kubelet is invalid; std::nullopt if both are valid. Pure.
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
    tenon::log::Logger log = {};  // warnings about user data close to the limit
  };
  NodeClassStatus(Services services, Options options)
      : services_(services), options_(std::move(options)), verdicts_(services.client.runtime(), kValidationTtl) {}

  // Returns the class with its status filled in. A request that AWS denies becomes a condition. Errors: those that a
  // retry may resolve (kThrottled, kUnavailable, kTimeout, kCancelled), and a new denial while the last good result is
  // still valid. If another part changed the class, the changed class is returned first, and the error by a later call
  // without changes.
  // `pools`: those that launch from the class.
  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>& pools,
                                   const std::stop_token& stop);

 private:
  Status resolve_amis(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_reservations(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_placement_group(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_subnets(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_groups(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  Status resolve_profile(model::NodeClass& out, model::ConditionSet& conditions, const std::stop_token& stop);
  // Checks whether user data can be rendered: the cluster's network is resolved, and spec.userData can be merged.
  Result<std::optional<Refusal>> check_user_data(const model::NodeClass& node_class, const std::stop_token& stop);
  Result<std::optional<Refusal>> check_launch_template(const std::string& name, const std::stop_token& stop);
  using Pools = std::vector<model::NodePool>;
  Status validate(model::NodeClass& out, const Pools& pools, model::ConditionSet& conditions,
                  const std::stop_token& stop);
  // A minimal launch of the class: one type that its pools allow (if there are any), its image, and the subnets in
  // zones that offer the type.
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
  TtlMap<std::string, std::string> verdicts_;  // class name → fingerprint of the valid state
};

}  // namespace tenon::cloud
