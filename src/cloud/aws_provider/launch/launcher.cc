// The order of one launch, from the top down. make_fleet() and CreateFleet write to AWS; all other steps read, or
// change memory only.
//   1. launch()          waits for the members of the claim's batch, if it has one; one caller launches for all of
//   them.
//   2. launch_missing()  if members are missing, lists what earlier calls launched for the batch (launched_before).
//   3. launch_once()     chooses types and offerings; holds places in capacity reservations.
//   4. launch_chosen()   resolves the placement group and its partition; calls step(), at most kMaxLaunchSteps times.
//   5. step()            chooses subnets and counts their addresses; make_fleet() creates missing launch templates
//                        (none if the class names one of the user);
//                        sends CreateFleet; record_errors() records the errors. Repeated for a deleted template
//                        (created again) and for a reused ClientToken, if adopt() finds no instances of the earlier
//                        call (next token).
//   6. launch_once()     releases unused places; assigns the instances to the members, both in ascending order.
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
#include "cloud/aws_provider/launch/launcher.h"

#include <algorithm>

#include "aws/errors.h"
#include "base/text.h"
#include "cloud/aws_provider/launch/launch_errors.h"
#include "cloud/aws_provider/resources/amis.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/labels.h"

namespace tenon::cloud {

Result<Instance> Launcher::launch(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                  const std::vector<model::InstanceType>& types, const std::stop_token& stop) {
  const auto batch = parse_launch_batch(model::lookup(claim.meta.annotations, kAnnotationLaunchBatch));
  if (!batch || batch->size < 2) {
    Launched launched = TRY(launch_once({claim, node_class, types}, stop));
    if (launched.instances.empty()) return fail(launched.capacity_error);
    return std::move(launched.instances.begin()->second);
  }
  std::shared_ptr<Batcher> batcher;
  {
    const std::scoped_lock lock(mutex_);
    auto& known = batchers_[batch->id];
    if (!known) {
      const BatchOptions options{kBatchIdle, kBatchLongest, static_cast<size_t>(batch->size),
                                 services_.metrics.batches("create_fleet")};
      known = std::make_shared<Batcher>(services_.client.runtime(), options, Batcher::Call());
    }
    batcher = known;
  }
  const Batcher::Call call = [&](const std::vector<std::string>& keys,
                                 const std::stop_token& calls_stop) -> Result<Batcher::Answers> {
    std::vector<int> members;
    for (const std::string& key : keys) members.push_back(std::stoi(key));
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    const Launched launched = TRY(launch_missing({claim, node_class, types, batch->id, members}, *batch, calls_stop));
    Batcher::Answers answers;
    for (const int member : members) {
      const auto found = launched.instances.find(member);
      const Result<Instance> answer =
          found == launched.instances.end() ? Result<Instance>(fail(launched.capacity_error)) : found->second;
      answers.emplace(std::to_string(member), answer);
    }
    return answers;
  };
  auto answer = batcher->ask(std::to_string(batch->index), stop, call);
  {
    const std::scoped_lock lock(mutex_);
    const auto known = batchers_.find(batch->id);
    const bool last = known != batchers_.end() && known->second == batcher && batcher.use_count() == 2;
    if (last) batchers_.erase(known);  // the map's reference and ours: no other caller is in the batch
  }
  if (!answer) return fail(std::move(answer).error());
  if (!*answer || !**answer) {
    return fail(*answer ? (**answer).error() : Error{Code::kInternal, "a launch without an answer", std::nullopt});
  }
  Instance instance = std::move(***answer);
  instance.claim_name = claim.meta.name;
  return instance;
}

// The ClientToken protects a complete batch from a second launch. If members are missing, an earlier call with another
// token may already have launched for some of the rest.
Result<Launched> Launcher::launch_missing(const LaunchOrder& order, const LaunchBatch& batch,
                                          const std::stop_token& stop) {
  if (static_cast<int>(order.members.size()) == batch.size) return launch_once(order, stop);
  Launched launched;
  const LaunchChoice choice = TRY(choose_launch(order.claim, order.types));
  launched.instances = TRY(launched_before(order, choice, stop));
  LaunchOrder rest = order;
  std::erase_if(rest.members, [&](int member) { return launched.instances.contains(member); });
  if (rest.members.empty()) return launched;
  Launched fresh = TRY(launch_once(rest, stop));
  launched.instances.merge(fresh.instances);
  launched.capacity_error = std::move(fresh.capacity_error);
  return launched;
}

Result<Launched> Launcher::launch_once(const LaunchOrder& order, const std::stop_token& stop) {
  LaunchChoice choice = TRY(choose_launch(order.claim, order.types));
  ReservedPlaces held;
  LaunchOrder within = order;  // members beyond the reservations' places fail with insufficient capacity
  const auto places = take_reserved_places(choice, order.members.size(), held);
  if (!places) return fail(places.error());
  within.members.resize(*places);
  Launched launched;
  launched.capacity_error = {Code::kInsufficientCapacity, "too few instances returned", std::nullopt};
  auto instances = launch_chosen(within, std::move(choice), launched.capacity_error, stop);
  return_unused_places(held, instances ? *instances : Instances());
  if (!instances) return fail(std::move(instances).error());
  auto member = within.members.begin();
  for (auto& [id, instance] : *instances) {
    if (member != within.members.end()) launched.instances.emplace(*member++, std::move(instance));
  }
  return launched;
}

Result<Launcher::Instances> Launcher::launch_chosen(const LaunchOrder& order, LaunchChoice choice,
                                                    Error& capacity_error, const std::stop_token& stop) {
  Attempt attempt{order, choice, instance_tags(order.node_class, options_.cluster_name, order.claim.pool()), {}, 0};
  attempt.placement_group = TRY_IN("placement group", services_.placement_groups.resolve(order.node_class, stop));
  if (attempt.placement_group) {
    attempt.partition = TRY(settle_partition(order.claim, *attempt.placement_group, choice));
  }
  const log::Fields about{.node_pool = std::string(order.claim.pool()), .node_claim = order.claim.meta.name};
  if (const auto narrow = narrow_fallback(order.claim, choice)) options_.log.warn(*narrow, about);
  if (options_.log.writes(log::Level::kDebug)) {
    for (const std::string& line : left_out_lines(order.claim, choice)) options_.log.debug(line, about);
  }
  for (int step_number = 1;; ++step_number) {
    LaunchProblem problem = LaunchProblem::kOther;
    auto instances = step(attempt, stop, problem, capacity_error);
    if (instances) return instances;
    if (problem == LaunchProblem::kTokenReused) {
      auto adopted = adopt(attempt, stop);
      if (adopted || adopted.error().code != Code::kNotFound) return adopted;
      next_attempt(order);
    }
    if (problem == LaunchProblem::kOther || step_number == kMaxLaunchSteps) return instances;
  }
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

Result<Launcher::Instances> Launcher::step(const Attempt& attempt, const std::stop_token& stop, LaunchProblem& problem,
                                           Error& capacity_error) {
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
      if (problem == LaunchProblem::kTemplateGone && !attempt.order.node_class.launch_template.empty()) {
        problem = LaunchProblem::kOther;  // only the user can create it again
      } else if (problem == LaunchProblem::kTemplateGone) {
        std::vector<std::string> names;
        for (const aws::FleetConfig& config : input.configs) names.push_back(config.launch_template_name);
        services_.templates.forget(names);
      }
      return fail(std::move(fleet).error());
    }
    record_errors(attempt, fleet->errors);
    capacity_error = combine_fleet_errors(fleet->errors);
    Instances instances = TRY(take_instances(attempt, *fleet));
    if (!instances.empty()) return instances;
    next_attempt(attempt.order);  // with the same token, EC2 would repeat this answer
    return fail(capacity_error);
  };
  auto result = run();
  if (result) {
    for (const auto& [id, instance] : *result) addresses.erase(instance.zone);
  }
  services_.subnets.give_back(subnets, addresses, "");
  return result;
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

}  // namespace tenon::cloud
