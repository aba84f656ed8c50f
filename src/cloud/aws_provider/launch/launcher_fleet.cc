// The CreateFleet request of a launch: what it asks for, its ClientToken, and the user data of its launch templates.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "cloud/aws_provider/launch/launcher.h"
#include "cloud/aws_provider/resources/amis.h"
#include "cloud/aws_provider/util/stable_hash.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kAllocateSpot = "price-capacity-optimized";
constexpr std::string_view kAllocateOnDemand = "lowest-price";
// For claims with price overlays, EC2's prices do not count; the overrides carry our prices as their priorities.
constexpr std::string_view kAllocateSpotOverlaid = "capacity-optimized-prioritized";
constexpr std::string_view kAllocateOnDemandOverlaid = "prioritized";
constexpr size_t kMaxRememberedAttempts = 10'000;
// The resource by which pods request Nitro Enclaves. A NodeOverlay defines which types have it, and how much.
constexpr std::string_view kEnclaves = "eks.amazonaws.com/nip-slots";
constexpr std::string_view kCapacityBlock = "capacity-block";      // a type of reservation, market and target capacity
constexpr std::string_view kTargetReserved = "reserved-capacity";  // of a Fleet
constexpr std::string_view kMarketInterruptible = "interruptible-capacity-reservation";

// Returns the stable part of a ClientToken: the claim's uid, or the batch and a hash of these members.
std::string launch_key(const LaunchOrder& order) {
  if (order.batch.empty()) return order.claim.meta.uid;
  return order.batch + "-" + std::to_string(StableHash().add(format_members(order.members)).value());
}

// Adds the candidate's offerings of this group in zones that have a subnet.
void add_overrides(const LaunchCandidate& candidate, const LaunchGroup& group,
                   const std::map<std::string, std::string>& subnets, aws::FleetConfig& config) {
  for (const model::Offering* offering : candidate.offerings) {
    const auto subnet = subnets.find(offering->zone);
    if (subnet == subnets.end() || offering->reservation_id != group.reservation_id) continue;
    config.overrides.push_back(
        {candidate.type->name, subnet->second, offering->zone, group.image_id, model::format_usd(offering->price)});
  }
}

}  // namespace

Result<aws::FleetInput> Launcher::make_fleet(const Attempt& attempt, const std::map<std::string, std::string>& subnets,
                                             const std::stop_token& stop) {
  const bool spot = attempt.choice.capacity_type == model::kCapacitySpot;
  aws::FleetInput fleet;
  fleet.client_token = token_of(attempt.order);
  fleet.target_capacity = static_cast<int64_t>(attempt.order.members.size());
  fleet.spot = spot;
  const bool overlaid = model::lookup(attempt.order.claim.meta.annotations, model::kAnnotationPriceOverlay) == "true";
  fleet.allocation_strategy = overlaid ? (spot ? kAllocateSpotOverlaid : kAllocateOnDemandOverlaid)
                                       : (spot ? kAllocateSpot : kAllocateOnDemand);
  const model::Offering& first = *attempt.choice.candidates.front().offerings.front();
  if (first.reservation_interruptible) {
    fleet.target_type = kTargetReserved;
  } else if (first.reservation_type == kCapacityBlock) {
    fleet.target_type = kCapacityBlock;
    fleet.allocation_strategy.clear();
  }
  const bool relaxed =
      model::lookup(attempt.order.claim.meta.annotations, model::kAnnotationMinValuesRelaxed) == "true";
  if (!relaxed) fleet.context = attempt.order.node_class.context;
  aws::Tags instance = attempt.tags;
  if (attempt.order.batch.empty()) {
    instance[std::string(kTagNodeClaim)] = attempt.order.claim.meta.name;
  } else {
    instance[std::string(kTagLaunchBatch)] = attempt.order.batch + ":" + format_members(attempt.order.members);
  }
  fleet.tags = {{"instance", std::move(instance)}, {"volume", attempt.tags}, {"fleet", attempt.tags}};
  if (attempt.order.node_class.launch_template.empty()) {
    TRY(add_own_templates(attempt, subnets, stop, fleet));
  } else {
    aws::FleetConfig config{attempt.order.node_class.launch_template, {}};
    for (const LaunchCandidate& candidate : attempt.choice.candidates) add_overrides(candidate, {}, subnets, config);
    if (!config.overrides.empty()) fleet.configs.push_back(std::move(config));
  }
  if (fleet.configs.empty()) {
    return fail(Code::kInsufficientCapacity, "no capacity offerings are currently available given the constraints");
  }
  return fleet;
}

// Adds a configuration for each launch template of ours that the candidates need, and creates those that do not exist.
Status Launcher::add_own_templates(const Attempt& attempt, const std::map<std::string, std::string>& subnets,
                                   const std::stop_token& stop, aws::FleetInput& fleet) {
  Bootstrap bootstrap = TRY(bootstrap_for(attempt.order.node_class, stop));
  bootstrap.labels = node_labels(attempt.order.claim, attempt.choice.capacity_type, bootstrap.family);
  bootstrap.taints = node_taints(attempt.order.claim);
  const bool with_efa = attempt.order.claim.requests.get(kEfa) > 0;
  for (const LaunchGroup& group : group_candidates(attempt.choice, attempt.order.node_class.amis, with_efa)) {
    aws::FleetConfig config;
    for (const LaunchCandidate* candidate : group.candidates) add_overrides(*candidate, group, subnets, config);
    if (config.overrides.empty()) continue;
    bootstrap.max_pods = group.max_pods;
    bootstrap.mounts_storage_itself = binds_storage_by_name(attempt.order.node_class, group.image_id);
    TemplateInput input{attempt.order.node_class, bootstrap, group.image_id, fleet.spot, attempt.tags,
                        group.efa_interfaces};
    input.knows_reservations = options_.reserved_capacity;
    input.reservation_id = group.reservation_id;
    if (group.interruptible) {
      input.market_type = kMarketInterruptible;
    } else if (group.reservation_type == kCapacityBlock) {
      input.market_type = kCapacityBlock;
    }
    if (attempt.placement_group) input.placement_group_id = attempt.placement_group->id;
    input.partition = attempt.partition;
    input.tenancy = tenancy_of(attempt.order.claim);
    input.enclaves = attempt.order.claim.requests.get(kEnclaves) > 0;
    input.region = services_.client.region();
    config.launch_template_name = TRY_IN("launch template", services_.templates.ensure(input, stop));
    fleet.configs.push_back(std::move(config));
  }
  return ok();
}

std::string Launcher::token_of(const LaunchOrder& order) {
  const std::string key = launch_key(order);
  const std::scoped_lock lock(mutex_);
  const auto it = attempts_.find(key);
  const int attempt = it == attempts_.end() ? 1 : it->second;
  return key + "-" + std::to_string(attempt);
}

void Launcher::next_attempt(const LaunchOrder& order) {
  const std::string key = launch_key(order);
  const std::scoped_lock lock(mutex_);
  if (attempts_.size() >= kMaxRememberedAttempts) attempts_.clear();
  ++attempts_.try_emplace(key, 1).first->second;
}

Result<Bootstrap> Launcher::bootstrap_for(const model::NodeClass& node_class, const std::stop_token& stop) {
  Bootstrap bootstrap;
  bootstrap.family = TRY(family_of(node_class));
  bootstrap.cluster_name = services_.cluster.name();
  bootstrap.user_data = node_class.user_data;
  bootstrap.raid0 = node_class.instance_store_policy == "RAID0";
  bootstrap.kubelet = node_class.kubelet;
  bootstrap.dns_ip = services_.cluster.dns_ip();
  if (bootstrap.family == AmiFamily::kCustom) return bootstrap;
  bootstrap.cluster_endpoint = TRY(services_.cluster.endpoint(stop));
  bootstrap.ca_base64 = TRY(services_.cluster.ca_base64(stop));
  if (bootstrap.family == AmiFamily::kAl2023) bootstrap.service_cidr = TRY(services_.cluster.service_cidr(stop));
  return bootstrap;
}

std::optional<std::string> narrow_fallback(const model::NodeClaim& claim, const LaunchChoice& choice) {
  if (choice.capacity_type != model::kCapacityOnDemand || choice.candidates.size() >= kFlexibleTypes) return {};
  const auto requirements = model::Requirements::make(claim.requirements);
  if (!requirements || !requirements->get(model::kLabelCapacityType).allows(std::string(model::kCapacitySpot)))
    return {};
  return "nodeclaim/" + claim.meta.name + ": at least " + std::to_string(kFlexibleTypes) +
         " instance types are recommended when flexible to spot but requesting on-demand, this request has " +
         std::to_string(choice.candidates.size());
}

}  // namespace tenon::cloud
