// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/controller.h"

#include <algorithm>
#include <set>

#include "controllers/pods.h"

namespace tenon::controllers::garbage_collection {
namespace {

bool has_ready_node(const View& view, const std::string& provider_id) {
  int matching = 0;
  bool ready = false;
  for (const model::Node& node : view.nodes) {
    if (node.provider_id != provider_id) continue;
    ++matching;
    ready = node.ready();
  }
  return matching == 1 && ready;
}

}  // namespace

Garbage decide(const View& view) {
  Garbage garbage;
  std::set<std::string> claimed, alive;
  for (const auto& claim : view.claims) claimed.insert(claim.provider_id);
  for (const auto& instance : view.instances) {
    if (instance.deleting) continue;
    alive.insert(instance.provider_id);
    const bool old_enough = view.now - instance.launched_at > kInstanceGrace;
    if (!claimed.contains(instance.provider_id) && old_enough) garbage.provider_ids.push_back(instance.provider_id);
  }
  for (const auto& node : view.nodes) {
    const auto& ids = garbage.provider_ids;
    if (!node.meta.deleting() && std::find(ids.begin(), ids.end(), node.provider_id) != ids.end()) {
      garbage.plan.begin_group();
      garbage.plan.add(plan::DeleteNode{node.meta.name, node.meta.uid});
    }
  }
  for (const auto& claim : view.claims) {
    if (claim.meta.deleting() || !claim.is(model::kRegistered) || alive.contains(claim.provider_id)) continue;
    if (has_ready_node(view, claim.provider_id)) continue;
    const auto pods = view.pods.find(claim.node_name);
    garbage.plan.begin_group();
    garbage.plan.add(plan::DeleteNodeClaim{claim, "garbage_collected", "", pods == view.pods.end() ? 0 : pods->second});
  }
  return garbage;
}

void Controller::start() {
  loop_ = context_.runtime.spawn("garbagecollection", [this](const std::stop_token& stop) {
    for (int round = 0; !stop.stop_requested(); ++round) {
      const Duration pause = round < kFirstRounds ? kFirstInterval : kInterval;
      if (context_.runtime.sleep_for(pause, stop) == runtime::Wake::kStopped) return;
      const Status done = collect(stop);
      if (!done && done.error().code != Code::kCancelled) context_.failed("garbagecollection", "", done.error());
    }
  });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

Status Controller::tell_of_losses(Instant now, const std::stop_token& stop) {
  plan::Plan plan;
  for (const std::string& pool : context_.provider.take_lost()) {
    context_.metrics.instances_lost.add({{"nodepool", pool}});
    if (!alarm_.note(pool, now)) continue;
    const std::string what = std::to_string(LossAlarm::kMany) + " instances or more ended within " +
                             format_go_duration(LossAlarm::kWithin) + ", unannounced, and not by us";
    context_.decided("nodepool/" + pool + ": " + what);
    if (const auto found = context_.cluster.pools.get(pool))
      plan.event(plan::ref(*found), "Warning", "InstancesLost", what);
  }
  TRY(context_.applier.apply(plan, stop));
  return ok();
}

Status Controller::collect(const std::stop_token& stop) {
  if (context_.faults.skip_collection) return ok();
  if (!context_.cluster.claims.synced() || !context_.cluster.nodes.synced()) return ok();
  View view;
  view.instances = TRY(context_.provider.list(stop));  // first: a claim that is newer than the list is not missed
  view.now = context_.runtime.now();
  TRY(tell_of_losses(view.now, stop));
  for (const auto& claim : context_.cluster.claims.list()) view.claims.push_back(*claim);
  for (const auto& node : context_.cluster.nodes.list()) {
    view.nodes.push_back(*node);
    view.pods[node->meta.name] = reschedulable_pods(context_.cluster, node->meta.name);
  }
  const Garbage garbage = decide(view);
  Status worst = ok();
  for (const std::string& provider_id : garbage.provider_ids) {
    const Status removed = context_.provider.remove(provider_id, stop);
    if (!removed && removed.error().code != Code::kNotFound) {
      worst = removed;  // the others are ended all the same: one zone may be shifted away from
      continue;
    }
    context_.decided("ended " + provider_id + ": it has no NodeClaim");
  }
  TRY(context_.applier.apply(garbage.plan, stop));
  return worst;
}

}  // namespace tenon::controllers::garbage_collection
