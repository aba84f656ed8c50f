// The order of one launch. make_fleet() and CreateFleet write to AWS; all other steps read, or change memory only.
//   1. launch()         waits for the members of the claim's batch, if it has one; one caller launches for all of them.
//   2. buy_batch()      if members are missing, lists what earlier calls launched for the batch (bought_before).
//   3. buy()            chooses types and offerings; holds places in capacity reservations.
//   4. launch_chosen()  resolves the placement group and its partition; calls step(), at most kMaxLaunchSteps times.
//   5. step()           chooses subnets and counts their addresses; make_fleet() creates missing launch templates;
//                       sends CreateFleet; learn() records the errors. Repeated for a deleted template (created again)
//                       and for a reused ClientToken, if adopt() finds no instances of the earlier call (next token).
//   6. buy()            releases unused places; assigns the instances to the members, both in ascending order.
// The caller then writes the instance to the NodeClaim (controllers/lifecycle). A crash leaves behind:
//   - before make_fleet(): nothing.
//   - before CreateFleet: templates without instances. The next launch with equal content finds them by name; otherwise
//     LaunchTemplates deletes them after kTemplateIdle or with the node class.
//   - before the write to the NodeClaim: instances that are tagged with the claim, or with the batch and its members.
//     The next process sends the same token: EC2 repeats its answer, or rejects changed parameters and adopt() finds
//     the instances.
//   - attempts_ is lost: the next process starts at the first token. If EC2 repeats an empty answer to it, the launch
//     fails, the claim is deleted, and garbage collection terminates an instance that a later token launched.
// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launcher.h"

#include <algorithm>

#include "aws/errors.h"
#include "base/text.h"
#include "cloud/aws_provider/amis.h"
#include "cloud/aws_provider/launch_errors.h"
#include "cloud/aws_provider/stable_hash.h"
#include "cloud/aws_provider/tags.h"
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

// Returns the reserved offering in the zone. The choice has at most one for each type and zone.
const model::Offering* reservation_in(const LaunchCandidate& candidate, const std::string& zone) {
  for (const model::Offering* offering : candidate.offerings) {
    if (offering->zone == zone && !offering->reservation_id.empty()) return offering;
  }
  return nullptr;
}

// Returns the stable part of a ClientToken: the claim's uid, or the batch and a hash of these members.
std::string launch_key(const LaunchOrder& order) {
  if (order.batch.empty()) return order.claim.meta.uid;
  return order.batch + "-" + std::to_string(StableHash().add(format_members(order.members)).value());
}

}  // namespace

std::optional<std::string> narrow_fallback(const model::NodeClaim& claim, const LaunchChoice& choice) {
  if (choice.capacity_type != model::kCapacityOnDemand || choice.candidates.size() >= kFlexibleTypes) return {};
  const auto requirements = model::Requirements::make(claim.requirements);
  if (!requirements || !requirements->get(model::kLabelCapacityType).allows(std::string(model::kCapacitySpot)))
    return {};
  return "nodeclaim/" + claim.meta.name + ": at least " + std::to_string(kFlexibleTypes) +
         " instance types are recommended when flexible to spot but requesting on-demand, this request has " +
         std::to_string(choice.candidates.size());
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
  if (!options_.omit_tags) {
    aws::Tags instance = attempt.tags;
    if (attempt.order.batch.empty()) {
      instance[std::string(kTagNodeClaim)] = attempt.order.claim.meta.name;
    } else {
      instance[std::string(kTagLaunchBatch)] = attempt.order.batch + ":" + format_members(attempt.order.members);
    }
    fleet.tags = {{"instance", std::move(instance)}, {"volume", attempt.tags}, {"fleet", attempt.tags}};
  }
  Bootstrap bootstrap = TRY(bootstrap_for(attempt.order.node_class, stop));
  bootstrap.labels = node_labels(attempt.order.claim, attempt.choice.capacity_type, bootstrap.family);
  bootstrap.taints = node_taints(attempt.order.claim);
  const bool with_efa = attempt.order.claim.requests.get(kEfa) > 0;
  for (const LaunchGroup& group : group_candidates(attempt.choice, attempt.order.node_class.amis, with_efa)) {
    aws::FleetConfig config;
    for (const LaunchCandidate* candidate : group.candidates) {
      for (const model::Offering* offering : candidate->offerings) {
        const auto subnet = subnets.find(offering->zone);
        if (subnet == subnets.end() || offering->reservation_id != group.reservation_id) continue;
        config.overrides.push_back({candidate->type->name, subnet->second, offering->zone, group.image_id,
                                    model::format_usd(offering->price)});
      }
    }
    if (config.overrides.empty()) continue;
    bootstrap.max_pods = group.max_pods;
    bootstrap.mounts_storage_itself = binds_storage_by_name(attempt.order.node_class, group.image_id);
    TemplateInput input{
        attempt.order.node_class, bootstrap, group.image_id, spot, options_.omit_tags ? aws::Tags{} : attempt.tags,
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
  if (fleet.configs.empty()) {
    return fail(Code::kInsufficientCapacity, "no capacity offerings are currently available given the constraints");
  }
  return fleet;
}

Result<Launcher::Instances> Launcher::take_instances(const Attempt& attempt, const aws::Fleet& fleet) const {
  Instances instances;
  for (const aws::FleetInstances& launched : fleet.instances) {
    const std::string& name =
        launched.instance_type.empty() ? launched.overrides.instance_type : launched.instance_type;
    const auto& candidates = attempt.choice.candidates;
    const auto found =
        std::find_if(candidates.begin(), candidates.end(), [&](const auto& c) { return c.type->name == name; });
    if (launched.ids.empty()) continue;
    if (found == candidates.end()) {
      return fail(Code::kInternal, "ec2 CreateFleet launched " + name + ", which was not asked for");
    }
    std::string image = launched.overrides.image_id;
    if (image.empty()) {
      const model::ResolvedAmi* ami = AmiChooser(attempt.order.node_class.amis).pick(*found->type);
      if (ami != nullptr) image = ami->id;
    }
    for (const std::string& id : launched.ids) {
      LaunchedFacts facts{id, zone_of(launched.overrides, attempt.order.node_class), attempt.choice.capacity_type,
                          image, services_.client.runtime().now()};
      facts.reservation = reservation_in(*found, facts.zone);
      facts.partition = attempt.partition;
      facts.efa_of_class = has_efas(attempt.order.node_class);
      instances[id] = make_instance(*found->type, facts, attempt.order.claim);
    }
  }
  return instances;
}

Result<Launcher::Instances> Launcher::step(const Attempt& attempt, const std::stop_token& stop, LaunchProblem& problem,
                                           Error& shortage) {
  auto addresses = addresses_by_zone(attempt.choice);
  for (auto& [zone, count] : addresses) count *= static_cast<int64_t>(attempt.order.members.size());
  const auto subnets = services_.subnets.choose(attempt.order.node_class.subnets, addresses);
  const auto run = [&]() -> Result<Instances> {
    const aws::FleetInput input = TRY(make_fleet(attempt, subnets, stop));
    auto fleet = services_.ec2.create_fleet(input, stop);
    if (!fleet) {
      for (const LaunchProblem known : {LaunchProblem::kTemplateGone, LaunchProblem::kTokenReused}) {
        const std::string_view code = known == LaunchProblem::kTemplateGone
                                          ? "InvalidLaunchTemplateName.NotFoundException"
                                          : "IdempotentParameterMismatch";
        if (aws::mentions(fleet.error(), code)) problem = known;
      }
      if (problem == LaunchProblem::kTemplateGone) {
        std::vector<std::string> names;
        for (const aws::FleetConfig& config : input.configs) names.push_back(config.launch_template_name);
        services_.templates.forget(names);
      }
      return fail(std::move(fleet).error());
    }
    learn(attempt, fleet->errors);
    shortage = combine_fleet_errors(fleet->errors);
    Instances instances = TRY(take_instances(attempt, *fleet));
    if (!instances.empty()) return instances;
    next_attempt(attempt.order);  // with the same token, EC2 would repeat this answer
    return fail(shortage);
  };
  auto result = run();
  if (result) {
    for (const auto& [id, instance] : *result) addresses.erase(instance.zone);
  }
  services_.subnets.give_back(subnets, addresses, "");
  return result;
}

Result<Launched> Launcher::buy(const LaunchOrder& order, const std::stop_token& stop) {
  LaunchChoice choice = TRY(choose_launch(order.claim, order.types));
  Held held;
  LaunchOrder within = order;  // members beyond the reservations' places get the shortage error
  const auto places = hold_reservations(choice, order.members.size(), held);
  if (!places) return fail(places.error());
  within.members.resize(*places);
  Launched launched;
  launched.shortage = {Code::kInsufficientCapacity, "too few instances returned", std::nullopt};
  auto instances = launch_chosen(within, std::move(choice), launched.shortage, stop);
  settle_reservations(held, instances ? *instances : Instances());
  if (!instances) return fail(std::move(instances).error());
  auto member = within.members.begin();
  for (auto& [id, instance] : *instances) {
    if (member != within.members.end()) launched.instances.emplace(*member++, std::move(instance));
  }
  return launched;
}

// Returns the partition to request; 0: EC2 chooses. Removes offerings from the choice that are unavailable in that
// partition. Errors: kInsufficientCapacity, all offerings are unavailable in every partition that the claim allows.
Result<int64_t> Launcher::settle_partition(const model::NodeClaim& claim, const aws::PlacementGroup& group,
                                           LaunchChoice& choice) const {
  const auto requirements = TRY_IN("spec.requirements", model::Requirements::make(claim.requirements));
  const Instant now = services_.client.runtime().now();
  LaunchChoice open;
  const auto is_open = [&](int64_t partition) {
    open = choice;
    keep_offerings(open, [&](const model::InstanceType& type, const model::Offering& offering) {
      // Reservations have no unavailability marks by partition.
      return !offering.reservation_id.empty() ||
             !services_.unavailable.unavailable({type.name, offering.zone, offering.capacity_type, group.id, partition},
                                                now);
    });
    return !open.candidates.empty();
  };
  const int64_t partition = pick_partition(requirements, group.partitions, is_open);
  const bool asked = group.partitions > 0 && requirements.has(model::kLabelPlacementGroupPartition);
  if (asked && partition == 0) {
    return fail(Code::kInsufficientCapacity, "all requested instance types were unavailable in the partitions of " +
                                                 group.id + " that the claim allows");
  }
  if (partition > 0 && is_open(partition)) choice = std::move(open);
  return partition;
}

Result<Launcher::Instances> Launcher::launch_chosen(const LaunchOrder& order, LaunchChoice choice, Error& shortage,
                                                    const std::stop_token& stop) {
  Attempt attempt{order, choice, instance_tags(order.node_class, options_.cluster_name, order.claim.pool()), {}, 0};
  attempt.placement_group = TRY_IN("placement group", services_.placement_groups.resolve(order.node_class, stop));
  if (attempt.placement_group) {
    attempt.partition = TRY(settle_partition(order.claim, *attempt.placement_group, choice));
  }
  if (const auto narrow = narrow_fallback(order.claim, choice); narrow && options_.warn) options_.warn(*narrow);
  if (options_.debug) {
    for (const std::string& line : left_out_lines(order.claim, choice)) options_.debug(line);
  }
  for (int step_number = 1;; ++step_number) {
    LaunchProblem problem = LaunchProblem::kOther;
    auto instances = step(attempt, stop, problem, shortage);
    if (instances) return instances;
    if (problem == LaunchProblem::kTokenReused) {
      auto adopted = adopt(attempt, stop);
      if (adopted || adopted.error().code != Code::kNotFound) return adopted;
      next_attempt(order);
    }
    if (problem == LaunchProblem::kOther || step_number == kMaxLaunchSteps) return instances;
  }
}

}  // namespace tenon::cloud
