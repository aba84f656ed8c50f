// The part of launcher.h that launches batches of claims and finds the instances that an earlier process launched.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "cloud/aws_provider/launcher.h"
#include "cloud/aws_provider/tags.h"
#include "model/labels.h"

namespace tenon::cloud {

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

// Returns the existing instances of this batch by member. Each call assigned its instances to its members, both in
// ascending order. Terminated instances are counted, so that the others keep their members.
Result<std::map<int, Instance>> Launcher::bought_before(const LaunchOrder& order, const LaunchChoice& choice,
                                                        const std::stop_token& stop) {
  const aws::Filters filters = {{"tag:" + std::string(kTagCluster), {options_.cluster_name}},
                                {"tag:" + std::string(kTagLaunchBatch), {order.batch + ":*"}}};
  std::map<std::string, std::map<std::string, aws::InstanceInfo>> calls;  // by the tag, then id
  for (aws::InstanceInfo& info : TRY(services_.ec2.describe_instances({}, filters, stop))) {
    const auto tag = info.tags.find(kTagLaunchBatch);
    if (tag != info.tags.end()) calls[tag->second][info.id] = std::move(info);
  }
  std::map<int, Instance> bought;
  for (const auto& [tag, instances] : calls) {
    const auto members = parse_members(cut(tag, ':').second);
    if (!members) continue;
    auto member = members->begin();
    for (const auto& [id, info] : instances) {
      if (member == members->end()) break;
      const int whose = *member++;
      if (info.state != "pending" && info.state != "running") continue;
      if (auto known = known_instance(info, choice, order)) bought.emplace(whose, std::move(*known));
    }
  }
  return bought;
}

// Finds the instances that an earlier call with this token launched, if its answer was lost. Their tags name the claim
// or the batch.
Result<Launcher::Instances> Launcher::adopt(const Attempt& attempt, const std::stop_token& stop) {
  Instances instances;
  if (!attempt.order.batch.empty()) {
    for (auto& [member, instance] : TRY(bought_before(attempt.order, attempt.choice, stop))) {
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

// The ClientToken protects a complete batch from a second launch. If members are missing, an earlier call with another
// token may already have launched for some of the rest.
Result<Launched> Launcher::buy_batch(const LaunchOrder& order, const LaunchBatch& batch, const std::stop_token& stop) {
  if (static_cast<int>(order.members.size()) == batch.size) return buy(order, stop);
  Launched launched;
  const LaunchChoice choice = TRY(choose_launch(order.claim, order.types));
  launched.instances = TRY(bought_before(order, choice, stop));
  LaunchOrder rest = order;
  std::erase_if(rest.members, [&](int member) { return launched.instances.contains(member); });
  if (rest.members.empty()) return launched;
  Launched bought = TRY(buy(rest, stop));
  launched.instances.merge(bought.instances);
  launched.shortage = std::move(bought.shortage);
  return launched;
}

Result<Instance> Launcher::launch(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                  const std::vector<model::InstanceType>& types, const std::stop_token& stop) {
  const auto batch = parse_launch_batch(model::lookup(claim.meta.annotations, kAnnotationLaunchBatch));
  if (!batch || batch->size < 2) {
    Launched launched = TRY(buy({claim, node_class, types}, stop));
    if (launched.instances.empty()) return fail(launched.shortage);
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
    const Launched launched = TRY(buy_batch({claim, node_class, types, batch->id, members}, *batch, calls_stop));
    Batcher::Answers answers;
    for (const int member : members) {
      const auto found = launched.instances.find(member);
      const Result<Instance> answer =
          found == launched.instances.end() ? Result<Instance>(fail(launched.shortage)) : found->second;
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

}  // namespace tenon::cloud
