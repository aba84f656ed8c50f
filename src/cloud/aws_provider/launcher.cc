// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launcher.h"

#include <algorithm>
#include <map>
#include <set>

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
// What EC2 charges is not what counts then; overrides carry our prices as their priorities.
constexpr std::string_view kAllocateSpotOverlaid = "capacity-optimized-prioritized";
constexpr std::string_view kAllocateOnDemandOverlaid = "prioritized";
constexpr size_t kMaxRememberedAttempts = 10'000;
constexpr std::string_view kEfa = "vpc.amazonaws.com/efa";
// Pods ask for Nitro Enclaves by it; a NodeOverlay says which types have how many.
constexpr std::string_view kEnclaves = "eks.amazonaws.com/nip-slots";
constexpr std::string_view kCapacityBlock = "capacity-block";      // a kind of reservation, market and target
constexpr std::string_view kTargetReserved = "reserved-capacity";  // of a Fleet
constexpr std::string_view kMarketInterruptible = "interruptible-capacity-reservation";
// EC2's words when a spread placement group has its seven instances in a zone.
constexpr std::string_view kSpreadIsFull = "limit of instances in this spread placement group";

// Kubelet may not set labels of these domains on its own Node; the controller does it at registration.
bool kubelet_may_set(std::string_view key) {
  const std::string_view domain = key.substr(0, key.find('/') == std::string_view::npos ? 0 : key.find('/'));
  for (const std::string_view closed : {"kubernetes.io", "k8s.io", "node-restriction.kubernetes.io"}) {
    if (domain == closed) return false;
    if (domain.ends_with(closed) && domain[domain.size() - closed.size() - 1] == '.') return false;
  }
  return true;
}

model::StringMap node_labels(const model::NodeClaim& claim, const std::string& capacity_type, AmiFamily family) {
  model::StringMap labels = claim.meta.labels;
  labels[std::string(model::kLabelCapacityType)] = capacity_type;
  if (family != AmiFamily::kCustom) labels[std::string(model::kLabelDoNotSyncTaints)] = "true";
  std::erase_if(labels, [](const auto& entry) { return !kubelet_may_set(entry.first); });
  return labels;
}

std::vector<model::Taint> node_taints(const model::NodeClaim& claim) {
  std::vector<model::Taint> taints = claim.taints;
  taints.insert(taints.end(), claim.startup_taints.begin(), claim.startup_taints.end());
  const model::Taint unregistered{std::string(model::kTaintUnregistered), "", "NoExecute", {}};
  const auto same = [&](const model::Taint& taint) { return taint.same(unregistered); };
  if (std::none_of(taints.begin(), taints.end(), same)) taints.push_back(unregistered);
  return taints;
}

// Storage before Bottlerocket 1.46 must be told what to bind; an unknown version counts as old, latest as new.
bool binds_storage_by_name(const model::NodeClass& node_class, const std::string& image_id) {
  std::string version;
  for (const model::SelectorTerm& term : node_class.ami_selector_terms) {
    if (!term.alias.empty()) version = cut(term.alias, '@').second;
  }
  if (version == "latest") return false;
  if (version.empty()) {
    for (const model::ResolvedAmi& ami : node_class.amis) {
      if (ami.id != image_id) continue;
      for (const std::string_view word : split(ami.name, '-')) {
        if (word.starts_with('v') && word.find('.') != std::string_view::npos) version = word;
      }
    }
  }
  while (version.starts_with('v')) version.erase(0, 1);
  const auto parts = split(version, '.');
  if (parts.size() < 3) return true;
  const int major = std::atoi(std::string(parts[0]).c_str());
  const int minor = std::atoi(std::string(parts[1]).c_str());
  constexpr int kFirstMinor = 46;
  return major < 1 || (major == 1 && minor < kFirstMinor);
}

// The choice has at most one of a type and zone.
const model::Offering* reservation_in(const LaunchCandidate& candidate, const std::string& zone) {
  for (const model::Offering* offering : candidate.offerings) {
    if (offering->zone == zone && !offering->reservation_id.empty()) return offering;
  }
  return nullptr;
}

// What a ClientToken stands for: a claim, or these members of a batch.
std::string launch_key(const LaunchOrder& order) {
  if (order.batch.empty()) return order.claim.meta.uid;
  return order.batch + "-" + std::to_string(StableHash().add(format_members(order.members)).value());
}

// EC2 echoes the override that it took; should it leave the zone out, the subnet tells it.
std::string zone_id_of(const std::string& zone, const model::NodeClass& node_class) {
  for (const model::ResolvedSubnet& subnet : node_class.subnets) {
    if (subnet.zone == zone) return subnet.zone_id;
  }
  return {};
}

std::string zone_of(const aws::FleetOverride& choice, const model::NodeClass& node_class) {
  if (!choice.zone.empty()) return choice.zone;
  for (const model::ResolvedSubnet& subnet : node_class.subnets) {
    if (subnet.id == choice.subnet_id) return subnet.zone;
  }
  return {};
}

}  // namespace

std::vector<LaunchGroup> group_candidates(const LaunchChoice& choice, const std::vector<model::ResolvedAmi>& amis,
                                          bool with_efa) {
  const AmiChooser chooser(amis);
  std::vector<LaunchGroup> groups;
  const auto add = [&](const LaunchCandidate& candidate, const model::ResolvedAmi& ami,
                       const model::Offering& offering) {
    const int64_t pods = candidate.type->capacity.get(model::kPods);
    const int64_t efas = with_efa ? candidate.type->capacity.get(kEfa) : 0;
    auto it = std::find_if(groups.begin(), groups.end(), [&](const LaunchGroup& g) {
      return g.image_id == ami.id && g.max_pods == pods && g.efa_interfaces == efas &&
             g.reservation_id == offering.reservation_id;
    });
    if (it == groups.end()) {
      it = groups.insert(groups.end(), {ami.id,
                                        pods,
                                        efas,
                                        offering.reservation_id,
                                        offering.reservation_type,
                                        offering.reservation_interruptible,
                                        {}});
    }
    if (it->candidates.empty() || it->candidates.back() != &candidate) it->candidates.push_back(&candidate);
  };
  for (const LaunchCandidate& candidate : choice.candidates) {
    const model::ResolvedAmi* ami = chooser.pick(*candidate.type);
    if (ami == nullptr) continue;
    for (const model::Offering* offering : candidate.offerings) add(candidate, *ami, *offering);
  }
  return groups;
}

std::map<std::string, int64_t> addresses_by_zone(const LaunchChoice& choice) {
  std::map<std::string, int64_t> addresses;
  for (const LaunchCandidate& candidate : choice.candidates) {
    const int64_t pods = candidate.type->capacity.get(model::kPods);
    for (const model::Offering* offering : candidate.offerings) {
      const auto [it, fresh] = addresses.try_emplace(offering->zone, pods);
      if (!fresh) it->second = std::min(it->second, pods);
    }
  }
  return addresses;
}

std::string capacity_type_of(const aws::InstanceInfo& info) {
  if (info.spot) return std::string(model::kCapacitySpot);
  const bool reserved = !info.reservation_id.empty() && info.reservation_preference == kReservationsOnly;
  return std::string(reserved ? model::kCapacityReserved : model::kCapacityOnDemand);
}

Instance make_instance(const model::InstanceType& type, const LaunchedFacts& facts, const model::NodeClaim& claim) {
  Instance instance;
  instance.provider_id = format_provider_id(facts.zone, facts.id);
  instance.instance_type = type.name;
  instance.zone = facts.zone;
  instance.capacity_type = facts.capacity_type;
  instance.image_id = facts.image_id;
  instance.claim_name = claim.meta.name;
  instance.pool = claim.pool();
  instance.launched_at = facts.launched_at;
  for (const auto& [key, values] : type.labels) {
    if (values.size() == 1) instance.labels[key] = values.front();
  }
  for (const model::Offering& offering : type.offerings) {
    if (offering.zone == facts.zone) instance.zone_id = offering.zone_id;
  }
  const auto put = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) instance.labels[std::string(key)] = value;
  };
  put(model::kLabelZone, instance.zone);
  put(model::kLabelZoneId, instance.zone_id);
  put(model::kLabelCapacityType, instance.capacity_type);
  put(model::kLabelNodePool, instance.pool);
  put(kLabelTenancy, tenancy_of(claim));
  if (facts.reservation != nullptr) {
    put(model::kLabelReservationId, facts.reservation->reservation_id);
    put(model::kLabelReservationType, facts.reservation->reservation_type);
    put(model::kLabelReservationInterruptible, facts.reservation->reservation_interruptible ? "true" : "false");
  }
  if (facts.partition > 0) put(model::kLabelPlacementGroupPartition, std::to_string(facts.partition));
  const bool with_efa = facts.efa_of_class || claim.requests.get(kEfa) > 0;  // else the instance has no such interface
  const auto visible = [with_efa](const model::Resources& all) {
    model::Resources out;
    for (const auto& [name, amount] : all.entries()) {
      if (amount != 0 && (with_efa || name != kEfa)) out.set(name, amount);
    }
    return out;
  };
  instance.capacity = visible(type.capacity);
  instance.allocatable = visible(type.allocatable());
  return instance;
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

std::string tenancy_of(const model::NodeClaim& claim) {
  const auto requirements = model::Requirements::make(claim.requirements);
  return requirements ? tenancy_of(*requirements) : "default";
}

std::string tenancy_of(const model::Requirements& requirements) {
  const std::string usual = "default", dedicated = "dedicated";
  const model::Requirement wanted = requirements.get(kLabelTenancy);
  return !wanted.allows(usual) && wanted.allows(dedicated) ? dedicated : usual;
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

// The reservations that an error is about: those of its override; all, if it names none.
void Launcher::learn_reserved(const Attempt& attempt, const aws::FleetError& error) {
  const std::string zone = zone_of(error.overrides, attempt.order.node_class);
  for (const LaunchCandidate& candidate : attempt.choice.candidates) {
    if (!error.overrides.instance_type.empty() && candidate.type->name != error.overrides.instance_type) continue;
    for (const model::Offering* offering : candidate.offerings) {
      if (zone.empty() || offering->zone == zone) services_.reservations.exhausted(offering->reservation_id);
    }
  }
}

// Leaves the reservations that still take instances, as many as are wanted at most; they count as being launched into.
// How many fit. Errors: kInsufficientCapacity, none does.
Result<size_t> Launcher::hold_reservations(LaunchChoice& choice, size_t wanted, Held& held) {
  if (choice.capacity_type != model::kCapacityReserved) return wanted;
  size_t places = 0;
  for (LaunchCandidate& candidate : choice.candidates) {
    std::erase_if(candidate.offerings, [&](const model::Offering* offering) {
      const auto [it, fresh] = held.try_emplace(offering->reservation_id, 0);
      for (size_t i = 0; fresh && i < wanted && services_.reservations.hold(it->first); ++i) ++it->second;
      if (fresh) places += static_cast<size_t>(it->second);
      return it->second == 0;
    });
  }
  std::erase_if(choice.candidates, [](const LaunchCandidate& candidate) { return candidate.offerings.empty(); });
  if (places > 0) return std::min(places, wanted);
  return fail(Code::kInsufficientCapacity, "the capacity reservations were used up by other launches");
}

void Launcher::settle_reservations(const Held& held, const Instances& instances) {
  for (const auto& [id, places] : held) {
    int64_t used = 0;
    for (const auto& [key, instance] : instances) {
      used += model::lookup(instance.labels, model::kLabelReservationId) == id ? 1 : 0;
    }
    for (int64_t i = 0; i < places; ++i)
      i < used ? services_.reservations.took(id) : services_.reservations.release(id);
  }
}

void Launcher::learn(const Attempt& attempt, const std::vector<aws::FleetError>& errors) {
  const Instant now = services_.client.runtime().now();
  std::map<std::string, std::set<std::string>> gone;  // by code
  for (const aws::FleetError& error : errors) {
    const bool reserved = attempt.choice.capacity_type == model::kCapacityReserved;
    const LaunchProblem problem = classify_launch(error.code);
    const std::string where = zone_of(error.overrides, attempt.order.node_class);
    services_.metrics.launch_failed({where, zone_id_of(where, attempt.order.node_class)}, attempt.choice.capacity_type,
                                    launch_reason(error.code + ": " + error.message).reason);
    if (reserved && problem == LaunchProblem::kOfferingGone) {
      learn_reserved(attempt, error);
      continue;
    }
    if (attempt.placement_group && error.message.find(kSpreadIsFull) != std::string::npos) {
      for (const LaunchCandidate& candidate : attempt.choice.candidates) {
        services_.unavailable.mark(
            {candidate.type->name, where, attempt.choice.capacity_type, attempt.placement_group->id}, now);
      }
      continue;
    }
    const OfferingKey offering{error.overrides.instance_type, where, attempt.choice.capacity_type};
    switch (problem) {
      case LaunchProblem::kOfferingGone:
        services_.unavailable.mark(offering, now);
        gone[error.code].insert(offering.instance_type + " in " + where);
        break;
      case LaunchProblem::kSubnetFull:
        services_.subnets.mark_full(error.overrides.subnet_id);
        services_.unavailable.mark_subnet(error.overrides.subnet_id, now);
        services_.unavailable.mark(offering, now);
        break;
      case LaunchProblem::kSpotNotAllowed:
        services_.unavailable.mark_capacity_type(std::string(model::kCapacitySpot), now);
        break;
      case LaunchProblem::kTemplateGone:
      case LaunchProblem::kTokenReused:
      case LaunchProblem::kOther: break;
    }
  }
  for (const auto& [code, offerings] : gone) {
    if (!options_.warn) break;
    options_.warn("EC2 has no " + attempt.choice.capacity_type + " " +
                  join(std::vector(offerings.begin(), offerings.end()), ", ") + ", which is not asked for again for " +
                  format_go_duration(kUnavailableFor) + ": " + code);
  }
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
    next_attempt(attempt.order);  // the same token would only bring the same answer again
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
  LaunchOrder within = order;  // what the reservations have no place for is short
  const auto places = hold_reservations(choice, order.members.size(), held);
  if (!places) return fail(places.error());
  within.members.resize(*places);
  Launched launched;
  launched.shortage = {Code::kInsufficientCapacity, "too few instances returned", std::nullopt};
  auto instances = launch_chosen(within, choice, launched.shortage, stop);
  settle_reservations(held, instances ? *instances : Instances());
  if (!instances) return fail(std::move(instances).error());
  auto member = within.members.begin();
  for (auto& [id, instance] : *instances) {
    if (member != within.members.end()) launched.instances.emplace(*member++, std::move(instance));
  }
  return launched;
}

Result<Launcher::Instances> Launcher::launch_chosen(const LaunchOrder& order, const LaunchChoice& choice,
                                                    Error& shortage, const std::stop_token& stop) {
  Attempt attempt{order, choice, instance_tags(order.node_class, options_.cluster_name, order.claim.pool()), {}, 0};
  attempt.placement_group = TRY_IN("placement group", services_.placement_groups.resolve(order.node_class, stop));
  if (attempt.placement_group) {
    attempt.partition = pick_partition(TRY_IN("spec.requirements", model::Requirements::make(order.claim.requirements)),
                                       attempt.placement_group->partitions);
  }
  if (const auto narrow = narrow_fallback(order.claim, choice); narrow && options_.warn) options_.warn(*narrow);
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
