// Launch templates: one per distinct way to start an instance, named by a hash of everything in it, made when first
// needed, deleted when the node class goes or after kTemplateIdle without use. parity: provider-aws
// pkg/providers/launchtemplate
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "base/result.h"
#include "cloud/aws_provider/user_data.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kTemplateVerified = 1min;  // EC2 is not asked again whether it exists for so long
inline constexpr Duration kTemplateIdle = 1h;
inline constexpr Duration kSweepRetry = 10min;  // after a sweep that failed

struct TemplateInput {
  const model::NodeClass& node_class;  // with its status
  Bootstrap bootstrap;
  std::string image_id;
  bool spot = false;
  aws::Tags tags;
  int64_t efa_interfaces = 0;               // that pods ask for; 0: none. The class's own interfaces win
  std::string reservation_id, market_type;  // as of aws::LaunchTemplateInput
  std::string placement_group_id;
  int64_t partition = 0;
  std::string tenancy = "default";
  bool knows_reservations = true;  // the gate ReservedCapacity; without it templates say nothing of reservations
  bool enclaves = false;           // pods ask for Nitro Enclaves
  std::string region = {};
};
// Instances of such templates run in a reservation or not at all.
inline constexpr std::string_view kReservationsOnly = "capacity-reservations-only";
// The template's content; its name is "karpenter.k8s.aws/<number>". Pure. Errors: kInvalid, from the user data.
Result<aws::LaunchTemplateInput> make_template(const TemplateInput& input);

// Instances of the class have EFA interfaces, whatever their pods ask for. Pure.
bool has_efas(const model::NodeClass& node_class);

// Thread rule: any thread.
class LaunchTemplates {
 public:
  struct Services {
    aws::Client& client;
    aws::Ec2& ec2;
  };
  LaunchTemplates(Services services, std::string cluster) : services_(services), cluster_(std::move(cluster)) {}

  // Its name, once it exists.
  Result<std::string> ensure(const TemplateInput& input, const std::stop_token& stop);
  // EC2 says that some of these do not exist: they are looked for again.
  void forget(const std::vector<std::string>& names);
  // Every template of the class. Errors, of this and of sweep: the first; the other templates are removed all the same.
  Status remove_all(const std::string& node_class, const std::stop_token& stop);
  // Templates of the class that nobody used for kTemplateIdle. Looks at most once in that time.
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
