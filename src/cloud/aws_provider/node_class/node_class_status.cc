// The order of resolve(): AMIs → reservations → placement group → subnets → security groups → instance profile →
// validation (spec, user data, then dry runs of CreateFleet and RunInstances). A failed part does not stop the next
// ones, but the dry runs wait until AMIs, subnets, groups and profile are ready. Only the profile and the template of
// the dry runs are written to AWS; the caller writes the returned status. A crash leaves behind:
//   - after the profile: a profile that no status names. The next resolve() finds it by its name, which depends on the
//     class and its role; remove_stray_profiles() deletes it if the role has changed.
//   - after the template of the dry runs: a template without instances. The next validation uses it again, or sweep()
//     deletes it after kTemplateIdle.
//   - the results of dry runs are in memory only: the next process repeats them.
// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/node_class/node_class_status.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "aws/errors.h"
#include "base/text.h"
#include "catalog/formulas.h"
#include "cloud/aws_provider/node_class/node_class_hash.h"
#include "cloud/aws_provider/util/stable_hash.h"
#include "cloud/aws_provider/util/tags.h"
#include "cloud/aws_provider/util/type_match.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kAmisReady = "AMIsReady";
constexpr std::string_view kSubnetsReady = "SubnetsReady";
constexpr std::string_view kGroupsReady = "SecurityGroupsReady";
constexpr std::string_view kProfileReady = "InstanceProfileReady";
constexpr std::string_view kReservationsReady = "CapacityReservationsReady";
constexpr std::string_view kPlacementGroupReady = "PlacementGroupReady";
constexpr std::string_view kValid = "ValidationSucceeded";

bool worth_another_try(const Error& error) {
  return error.code == Code::kThrottled || error.code == Code::kUnavailable || error.code == Code::kTimeout ||
         error.code == Code::kCancelled;
}

// Returns the error if a retry may succeed, or if the condition is still true from the last good result. Otherwise the
// error becomes a condition.
Status refused(const model::NodeClass& out, model::ConditionSet& conditions, std::string_view type,
               const Error& error) {
  if (worth_another_try(error) || model::condition_is(out.conditions, type, "True")) return fail(error);
  conditions.set_false(type, std::string(type.substr(0, type.size() - 5)) + "ResolutionFailed",
                       aws::without_request(error.message));
  return ok();
}

// Types that every account may launch; preferred for the dry runs.
constexpr std::array<std::string_view, 2> kUsualTypes = {"m5.large", "m6g.large"};

std::string fingerprint(const model::NodeClass& node_class) {
  StableHash hash;
  hash.add(node_class_hash(node_class, "")).add_number(static_cast<uint64_t>(node_class.meta.generation));
  std::set<std::string> subnets;  // by id: the order in the status changes with free addresses
  for (const auto& subnet : node_class.subnets) subnets.insert(subnet.id);
  for (const std::string& id : subnets) hash.add(id);
  for (const auto& group : node_class.security_groups) hash.add(group.id);
  for (const auto& ami : node_class.amis) hash.add(ami.id);
  return std::to_string(hash.add(node_class.resolved_instance_profile).value());
}

std::optional<Refusal> not_authorized(const Error& error, const std::string& action) {
  if (error.code != Code::kForbidden) return std::nullopt;
  return Refusal{action + "AuthCheckFailed",
                 "Controller isn't authorized to call ec2:" + action + ": " + aws::without_request(error.message)};
}

// v1 requires one of the two fields; in v0.27, a setting replaces them. parity: provider-aws v0.27.5
// pkg/providers/launchtemplate, which refuses each launch
std::string profile_fault(const model::NodeClass& node_class) {
  if (!node_class.instance_profile.empty() || !node_class.role.empty()) return "";
  const std::string& key = node_class.meta.name;
  const std::string name(model::object_name(key));
  const std::string setting = " is not set, and ConfigMap karpenter-global-settings has no aws.defaultInstanceProfile";
  if (model::is_node_template(key)) return "AWSNodeTemplate " + name + ": spec.instanceProfile" + setting;
  if (model::is_inline_provider(key)) return "Provisioner " + name + ": spec.provider.instanceProfile" + setting;
  return "EC2NodeClass " + name + ": neither spec.role nor spec.instanceProfile is set";
}

// The user's launch template has the images, security groups and instance profile.
void decided_by_template(model::NodeClass& out, model::ConditionSet& conditions) {
  out.amis.clear();
  out.security_groups.clear();
  out.resolved_instance_profile.clear();
  for (const std::string_view type : {kAmisReady, kGroupsReady, kProfileReady}) conditions.set_true(type);
}

}  // namespace

std::optional<Refusal> refuse_spec(const model::NodeClass& node_class) {
  const auto restricted = restricted_tags(node_class.tags);
  if (!restricted.empty()) {
    return Refusal{"TagValidationFailed", "tags failed validation requirements: " + join(restricted, ", ")};
  }
  // The formulas parse every quantity of spec.kubelet; any type serves to check them.
  catalog::InstanceFacts any;
  any.vcpus = 1;
  any.memory_mib = 1024;
  catalog::NodeSettings settings;
  settings.kubelet = node_class.kubelet;
  const auto overhead = catalog::overhead_of(any, settings);
  if (!overhead) return Refusal{"InvalidKubeletConfiguration", "spec." + overhead.error().message};
  return std::nullopt;
}

Status NodeClassStatus::resolve_amis(model::NodeClass& out, model::ConditionSet& conditions,
                                     const std::stop_token& stop) {
  const auto version = services_.cluster.kubernetes_version(stop);
  if (!version) return refused(out, conditions, kAmisReady, version.error());
  if (const Status checked = check_aliases(out, *version); !checked) {
    out.amis.clear();
    conditions.set_false(kAmisReady, "UnsupportedAlias", checked.error().message);
    return ok();
  }
  // If AWS returns an error, the last images remain. Only a result without images clears them.
  auto amis = services_.amis.resolve(out, *version, stop);
  if (!amis) return refused(out, conditions, kAmisReady, amis.error());
  out.amis = std::move(*amis);
  if (out.amis.empty()) {
    conditions.set_false(kAmisReady, "AMINotFound", "AMISelector did not match any AMIs");
  } else {
    conditions.set_true(kAmisReady);
  }
  return ok();
}

// Terms that select no reservation are not an error of the class: its pods use other offerings.
Status NodeClassStatus::resolve_reservations(model::NodeClass& out, model::ConditionSet& conditions,
                                             const std::stop_token& stop) {
  if (!options_.reserved_capacity) return out.reservations.clear(), ok();
  auto reservations = services_.reservations.resolve(out, stop);
  if (!reservations) return refused(out, conditions, kReservationsReady, reservations.error());
  out.reservations = std::move(*reservations);
  conditions.set_true(kReservationsReady);
  return ok();
}

Status NodeClassStatus::resolve_placement_group(model::NodeClass& out, model::ConditionSet& conditions,
                                                const std::stop_token& stop) {
  const auto group = services_.placement_groups.resolve(out, stop);
  if (group) return conditions.set_true(kPlacementGroupReady), ok();
  if (worth_another_try(group.error())) return fail(group.error());
  if (group.error().code == Code::kNotFound) {
    conditions.set_false(kPlacementGroupReady, "PlacementGroupNotFound", group.error().message);
  } else {
    conditions.set_false(kPlacementGroupReady, "PlacementGroupResolutionFailed",
                         "Failed to resolve placement group: " + aws::without_request(group.error().message));
  }
  return ok();
}

Status NodeClassStatus::resolve_subnets(model::NodeClass& out, model::ConditionSet& conditions,
                                        const std::stop_token& stop) {
  auto subnets = services_.subnets.resolve(out, stop);
  if (!subnets) return refused(out, conditions, kSubnetsReady, subnets.error());
  out.subnets = std::move(*subnets);
  if (out.subnets.empty()) {
    conditions.set_false(kSubnetsReady, "SubnetsNotFound", "SubnetSelector did not match any Subnets");
  } else {
    conditions.set_true(kSubnetsReady);
  }
  return ok();
}

Status NodeClassStatus::resolve_groups(model::NodeClass& out, model::ConditionSet& conditions,
                                       const std::stop_token& stop) {
  auto groups = services_.security_groups.resolve(out, stop);
  if (!groups) return refused(out, conditions, kGroupsReady, groups.error());
  out.security_groups = std::move(*groups);
  if (out.security_groups.empty()) {
    conditions.set_false(kGroupsReady, "SecurityGroupsNotFound",
                         "SecurityGroupSelector did not match any SecurityGroups");
  } else {
    conditions.set_true(kGroupsReady);
  }
  return ok();
}

Status NodeClassStatus::resolve_profile(model::NodeClass& out, model::ConditionSet& conditions,
                                        const std::stop_token& stop) {
  if (std::string fault = profile_fault(out); !fault.empty()) {
    out.resolved_instance_profile.clear();
    conditions.set_false(kProfileReady, "InstanceProfileMissing", std::move(fault));
    return ok();
  }
  auto profile = services_.profiles.ensure(out, stop);
  if (!profile) return refused(out, conditions, kProfileReady, profile.error());
  out.resolved_instance_profile = std::move(*profile);
  conditions.set_true(kProfileReady);
  return ok();
}

Result<NodeClassStatus::Sample> NodeClassStatus::pick_sample(const model::NodeClass& node_class, const Pools& pools,
                                                             const std::stop_token& stop) {
  std::vector<model::Requirements> allowed;
  for (const model::NodePool& pool : pools) {
    // A pool with invalid requirements launches nothing.
    if (auto requirements = model::Requirements::make(pool.node_template.requirements)) {
      allowed.push_back(std::move(*requirements));
    }
  }
  // Dedicated instances need more permissions and fewer types offer them: if one pool allows them, they are tried.
  const bool dedicated = std::any_of(allowed.begin(), allowed.end(), admits_dedicated);
  if (dedicated) std::erase_if(allowed, [](const auto& requirements) { return !admits_dedicated(requirements); });
  TRY(services_.types.ensure_known(stop));
  const InstanceTypes types = TRY(services_.types.known(node_class));
  const AmiChooser chooser(node_class.amis);
  const model::InstanceType* best = nullptr;
  const auto rank = [&](const model::InstanceType& type) {
    const bool usual = std::find(kUsualTypes.begin(), kUsualTypes.end(), type.name) != kUsualTypes.end();
    const bool wanted = std::any_of(allowed.begin(), allowed.end(),
                                    [&](const auto& requirements) { return type_matches(type, requirements); });
    // A type that is incompatible with the class (cpuOptions, interfaces, placement group) is never launched.
    return std::tuple(!type.problem.empty(), !wanted, !usual, type.capacity.get(model::kCpu));
  };
  for (const model::InstanceType& type : *types) {
    if (chooser.pick(type) == nullptr) continue;
    if (best == nullptr || rank(type) < rank(*best)) best = &type;
  }
  if (best == nullptr) return fail(Code::kInvalid, "no instance type of these subnets' zones boots any of the AMIs");
  Sample sample{best->name, chooser.pick(*best)->id, dedicated ? "dedicated" : "default", {}};
  std::set<std::string> zones;
  for (const model::Offering& offering : best->offerings) zones.insert(offering.zone);
  for (const model::ResolvedSubnet& subnet : node_class.subnets) {
    if (zones.contains(subnet.zone)) sample.subnet_ids.push_back(subnet.id);
  }
  return sample;
}

// Succeeds if the launch would succeed in one subnet; returns the error of the first subnet otherwise.
Status NodeClassStatus::dry_run_instances(const Sample& sample, const std::string& launch_template,
                                          const aws::Tags& tags, const std::stop_token& stop) {
  const std::vector<aws::TagSpecification> specifications = {
      {"instance", tags}, {"volume", tags}, {"network-interface", tags}};
  Status first = ok();
  for (const std::string& subnet : sample.subnet_ids) {
    Status tried = services_.ec2.dry_run_instances({launch_template, sample.type, subnet, specifications}, stop);
    if (tried) return ok();
    if (first) first = std::move(tried);
  }
  return first;
}

Result<std::optional<Refusal>> NodeClassStatus::dry_run(const model::NodeClass& node_class, const Pools& pools,
                                                        const std::stop_token& stop) {
  using Verdict = std::optional<Refusal>;
  const Sample sample = TRY(pick_sample(node_class, pools, stop));
  const aws::Tags tags = instance_tags(node_class, options_.cluster_name, "");
  Bootstrap bootstrap = TRY(services_.launcher.bootstrap_for(node_class, stop));
  bootstrap.labels = {{std::string(model::kLabelCapacityType), std::string(model::kCapacityOnDemand)}};
  if (bootstrap.family != AmiFamily::kCustom) bootstrap.labels[std::string(model::kLabelDoNotSyncTaints)] = "true";
  bootstrap.taints = {{std::string(model::kTaintUnregistered), "", "NoExecute", {}}};
  bootstrap.max_pods = catalog::kPodsWithoutEniLimit;
  TemplateInput input{node_class, bootstrap, sample.image_id, false, tags, 0};
  input.tenancy = sample.tenancy;
  input.knows_reservations = options_.reserved_capacity;
  if (const auto group = services_.placement_groups.known(node_class)) input.placement_group_id = group->id;
  input.region = services_.client.region();
  const auto name = services_.templates.ensure(input, stop);
  if (!name) {
    if (auto verdict = not_authorized(name.error(), "CreateLaunchTemplate")) return Verdict(std::move(verdict));
    if (aws::mentions(name.error(), "User data is limited to")) {
      return Verdict(Refusal{"UserDataSizeLimitExceeded",
                             "ec2:CreateLaunchTemplate rejected the rendered user data as too large: " +
                                 aws::without_request(name.error().message)});
    }
    return fail(name.error());
  }
  aws::FleetInput fleet;
  fleet.client_token = services_.client.make_token();
  fleet.allocation_strategy = "lowest-price";
  fleet.dry_run = true;
  fleet.tags = {{"instance", tags}, {"volume", tags}, {"fleet", tags}};
  fleet.configs = {{*name, {}}};
  for (const std::string& id : sample.subnet_ids) fleet.configs[0].overrides.push_back({sample.type, id, "", "", ""});
  const auto tried = services_.ec2.create_fleet(fleet, stop);
  if (!tried) {
    if (auto verdict = not_authorized(tried.error(), "CreateFleet")) return Verdict(std::move(verdict));
    return fail(tried.error());
  }
  const Status run = dry_run_instances(sample, *name, tags, stop);
  if (run) return Verdict();
  if (auto verdict = not_authorized(run.error(), "RunInstances")) return Verdict(std::move(verdict));
  return fail(run.error());
}

Result<std::optional<Refusal>> NodeClassStatus::check_user_data(const model::NodeClass& node_class,
                                                                const std::stop_token& stop) {
  using Verdict = std::optional<Refusal>;
  const AmiFamily family = TRY(family_of(node_class));
  if (family == AmiFamily::kAl2023) {
    const auto cidr = services_.cluster.service_cidr(stop);
    if (!cidr && worth_another_try(cidr.error())) return fail(cidr.error());
    if (!cidr) return Verdict(Refusal{"ClusterCIDRResolutionFailed", "Failed to detect the cluster CIDR"});
  }
  Bootstrap bootstrap = TRY(services_.launcher.bootstrap_for(node_class, stop));
  bootstrap.max_pods = catalog::kPodsWithoutEniLimit;
  const auto text = render_user_data(bootstrap);
  if (!text) return Verdict(Refusal{"InvalidUserData", text.error().message});
  const bool news = services_.market.show_user_data(node_class.meta.name, text->size());
  if (news && text->size() >= kUserDataWarning) {
    options_.log.warn("EC2NodeClass " + node_class.meta.name + ": its user data has " + std::to_string(text->size()) +
                      " of the " + std::to_string(kUserDataLimit) + " bytes that EC2 takes");
  }
  return Verdict();
}

// The user's launch template is used as it is; only its existence can be checked.
Result<std::optional<Refusal>> NodeClassStatus::check_launch_template(const std::string& name,
                                                                      const std::stop_token& stop) {
  const auto found = services_.ec2.find_launch_template(name, stop);
  if (found) return std::optional<Refusal>();
  if (found.error().code != Code::kNotFound) return fail(found.error());
  return std::optional(
      Refusal{"LaunchTemplateNotFound", "launchTemplate: EC2 has no launch template \"" + name + "\" in this region"});
}

Status NodeClassStatus::validate(model::NodeClass& out, const Pools& pools, model::ConditionSet& conditions,
                                 const std::stop_token& stop) {
  std::optional<Refusal> refusal = refuse_spec(out);
  if (!refusal) {
    auto checked =
        out.launch_template.empty() ? check_user_data(out, stop) : check_launch_template(out.launch_template, stop);
    if (!checked && checked.error().code == Code::kInvalid) {
      refusal = Refusal{"InvalidUserData", checked.error().message};
    } else {
      refusal = TRY(std::move(checked));
    }
  }
  if (refusal) {
    conditions.set_false(kValid, refusal->reason, refusal->message);
    return ok();
  }
  for (const std::string_view status : {"False", "Unknown"}) {
    for (const std::string_view type : {kAmisReady, kProfileReady, kGroupsReady, kSubnetsReady}) {
      if (!model::condition_is(out.conditions, type, status)) continue;
      conditions.set(kValid, status, "DependenciesNotReady",
                     "Awaiting AMI, Instance Profile, Security Group, and Subnet resolution");
      return ok();
    }
  }
  const std::string print = fingerprint(out);
  // A dry run of the user's launch template would reject a type that its image does not boot.
  const bool dry_runs = options_.dry_runs && out.launch_template.empty();
  if (!dry_runs || verdicts_.find(out.meta.name) == print) {
    conditions.set_true(kValid);
    return ok();
  }
  const auto verdict = dry_run(out, pools, stop);
  if (!verdict) {
    const bool stands = model::condition_is(out.conditions, kValid, "True");
    if (worth_another_try(verdict.error()) || stands) return fail(verdict.error());
    conditions.set_unknown(kValid, "ValidationFailed", aws::without_request(verdict.error().message));
    return ok();
  }
  if (*verdict) {
    conditions.set_false(kValid, (*verdict)->reason, (*verdict)->message);
    return ok();
  }
  verdicts_.put(out.meta.name, print);
  conditions.set_true(kValid);
  return ok();
}

Result<model::NodeClass> NodeClassStatus::resolve(const model::NodeClass& node_class, const Pools& pools,
                                                  const std::stop_token& stop) {
  model::NodeClass out = node_class;
  const Instant begun = services_.client.runtime().now();
  model::ConditionSet conditions({&out.conditions, out.meta.created_at, out.meta.generation},
                                 options_.reserved_capacity ? model::kNodeClassStatus : model::kUnreservedClassStatus,
                                 begun);
  Status first = ok();
  const auto keep_first_error = [&first](std::string_view part, Status status) {
    if (!status && first) first = fail(status.error().in(std::string(part)));
  };
  const bool own_template = !out.launch_template.empty();
  if (own_template) decided_by_template(out, conditions);
  if (!own_template) keep_first_error("amiSelectorTerms", resolve_amis(out, conditions, stop));
  keep_first_error("capacityReservationSelectorTerms", resolve_reservations(out, conditions, stop));
  keep_first_error("placementGroupSelector", resolve_placement_group(out, conditions, stop));
  keep_first_error("subnetSelectorTerms", resolve_subnets(out, conditions, stop));
  if (!own_template) {
    keep_first_error("securityGroupSelectorTerms", resolve_groups(out, conditions, stop));
    keep_first_error("instance profile", resolve_profile(out, conditions, stop));
  }
  keep_first_error("validation", validate(out, pools, conditions, stop));
  // A changed condition gets the time after AWS's answers, not the time before the requests.
  const Instant known = services_.client.runtime().now();
  for (model::Condition& condition : out.conditions) {
    const auto* before = model::find_condition(node_class.conditions, condition.type);
    if (!before || before->last_transition != condition.last_transition) condition.last_transition = known;
  }
  if (!first && out == node_class) return fail(std::move(first).error());
  return out;
}

}  // namespace tenon::cloud
