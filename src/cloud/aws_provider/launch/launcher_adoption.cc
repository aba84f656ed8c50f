// The instances of earlier calls, whose answers were lost, or which an earlier process sent.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "cloud/aws_provider/launch/launcher.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/labels.h"

namespace tenon::cloud {

// Finds the instances that an earlier call with this token launched, if its answer was lost. Their tags name the claim
// or the batch.
Result<Launcher::Instances> Launcher::adopt(const Attempt& attempt, const std::stop_token& stop) {
  Instances instances;
  if (!attempt.order.batch.empty()) {
    for (auto& [member, instance] : TRY(launched_before(attempt.order, attempt.choice, stop))) {
      const auto& own = attempt.order.members;
      if (std::find(own.begin(), own.end(), member) == own.end()) continue;
      std::string id = parse_provider_id(instance.provider_id)->instance_id;
      instances.emplace(std::move(id), std::move(instance));
    }
  } else {
    const aws::Filters filters = {{"tag:" + std::string(kTagCluster), {options_.cluster_name}},
                                  {"tag:" + std::string(kTagNodeClaim), {attempt.order.claim.meta.name}},
                                  {"instance-state-name", {"pending", "running"}}};
    for (const aws::InstanceInfo& info : TRY(services_.ec2.describe_instances({}, filters, stop))) {
      if (!instances.empty()) break;
      if (auto known = known_instance(info, attempt.choice, attempt.order)) instances.emplace(info.id, *known);
    }
  }
  if (instances.empty()) return fail(Code::kNotFound, "no instance of NodeClaim " + attempt.order.claim.meta.name);
  return instances;
}

// Returns the existing instances of this batch by member. Each call assigned its instances to its members, both in
// ascending order. Terminated instances are counted, so that the others keep their members.
Result<std::map<int, Instance>> Launcher::launched_before(const LaunchOrder& order, const LaunchChoice& choice,
                                                          const std::stop_token& stop) {
  const aws::Filters filters = {{"tag:" + std::string(kTagCluster), {options_.cluster_name}},
                                {"tag:" + std::string(kTagLaunchBatch), {order.batch + ":*"}}};
  std::map<std::string, std::map<std::string, aws::InstanceInfo>> calls;  // by the tag, then id
  for (aws::InstanceInfo& info : TRY(services_.ec2.describe_instances({}, filters, stop))) {
    const auto tag = info.tags.find(kTagLaunchBatch);
    if (tag != info.tags.end()) calls[tag->second][info.id] = std::move(info);
  }
  std::map<int, Instance> launched;
  for (const auto& [tag, instances] : calls) {
    const auto members = parse_members(cut(tag, ':').second);
    if (!members) continue;
    auto member = members->begin();
    for (const auto& [id, info] : instances) {
      if (member == members->end()) break;
      const int whose = *member++;
      if (info.state != "pending" && info.state != "running") continue;
      if (auto known = known_instance(info, choice, order)) launched.emplace(whose, std::move(*known));
    }
  }
  return launched;
}

std::optional<Instance> Launcher::known_instance(const aws::InstanceInfo& info, const LaunchChoice& choice,
                                                 const LaunchOrder& order) const {
  for (const LaunchCandidate& candidate : choice.candidates) {
    if (candidate.type->name != info.type) continue;
    LaunchedFacts facts{info.id, info.zone, capacity_type_of(info), info.image_id, info.launched_at};
    for (const model::Offering& offering : candidate.type->offerings) {
      const bool own =
          facts.capacity_type == model::kCapacityReserved && offering.reservation_id == info.reservation_id;
      if (own) facts.reservation = &offering;
    }
    facts.partition = info.partition;
    facts.efa_of_class = has_efas(order.node_class);
    return make_instance(*candidate.type, facts, order.claim);
  }
  return std::nullopt;
}

}  // namespace tenon::cloud
