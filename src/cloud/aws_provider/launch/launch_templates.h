// Launch templates: one for each distinct launch configuration, named by a hash of its content. A template is created
// when first needed, and deleted with the node class or after kTemplateIdle without use.
// parity: provider-aws pkg/providers/launchtemplate
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "base/result.h"
#include "cloud/aws_provider/launch/user_data.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kTemplateVerified = 1min;  // EC2 is not queried for the template again in this time
inline constexpr Duration kTemplateIdle = 1h;
inline constexpr Duration kSweepRetry = 10min;  // after a failed sweep

struct TemplateInput {
  const model::NodeClass& node_class;  // with its status
  Bootstrap bootstrap;
  std::string image_id;
  bool spot = false;
  aws::Tags tags;
  int64_t efa_interfaces = 0;               // requested by pods; 0: none. The class's own interfaces have precedence
  std::string reservation_id, market_type;  // as in aws::LaunchTemplateInput
  std::string placement_group_id;
  int64_t partition = 0;
  std::string tenancy = "default";
  bool knows_reservations = true;  // the gate ReservedCapacity; without it templates do not mention reservations
  bool enclaves = false;           // pods request Nitro Enclaves
  std::string region = {};
};
// The reservation preference of instances that run in a capacity reservation or not at all.
inline constexpr std::string_view kReservationsOnly = "capacity-reservations-only";
// Returns the template's content; its name is "karpenter.k8s.aws/<number>". Pure. Errors: kInvalid, from the user data.
Result<aws::LaunchTemplateInput> make_template(const TemplateInput& input);

// Returns whether instances of the class always have EFA interfaces, independent of the pods' requests. Pure.
bool has_efas(const model::NodeClass& node_class);

// Thread rule: any thread.
class LaunchTemplates {
 public:
  struct Services {
    aws::Client& client;
    aws::Ec2& ec2;
  };
  LaunchTemplates(Services services, std::string cluster) : services_(services), cluster_(std::move(cluster)) {}

  // Returns the template's name; creates the template if it does not exist.
  Result<std::string> ensure(const TemplateInput& input, const std::stop_token& stop);
  // EC2 reported that some of these do not exist: ensure() checks them again.
  void forget(const std::vector<std::string>& names);
  // Removes every template of the class. remove_all() and sweep() continue after an error and return the first one.
  Status remove_all(const std::string& node_class, const std::stop_token& stop);
  // Removes templates of the class that were unused for kTemplateIdle. Runs at most once in that time, or after
  // kSweepRetry if it failed; the first call for a class only starts the timer.
  Status sweep(const std::string& node_class, const std::stop_token& stop);

 private:
  Status remove(const std::string& node_class, bool only_idle, const std::stop_token& stop);
  bool used_lately(const std::string& name, Instant now) const;

  const Services services_;
  const std::string cluster_;
  mutable std::mutex mutex_;
  std::map<std::string, Instant> verified_until_;  // by template name
  std::map<std::string, Instant> used_at_;
  std::map<std::string, Instant> next_sweep_;  // by class name
};

}  // namespace tenon::cloud
