// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/controller.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cloud/launch_batch.h"
#include "controllers/pods.h"
#include "log/messages.h"
#include "log/scope.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::garbage_collection {
namespace {

using NodesById = std::multimap<std::string_view, const model::Node*>;

NodesById by_provider_id(const View& view) {
  NodesById nodes;
  for (const auto& node : view.nodes) nodes.emplace(node->provider_id, node.get());
  return nodes;
}

bool has_ready_node(const NodesById& nodes, const std::string& provider_id) {
  return nodes.count(provider_id) == 1 && nodes.find(provider_id)->second->ready();
}

}  // namespace

bool may_own(const model::NodeClaim& claim, const cloud::Instance& instance) {
  if (!claim.provider_id.empty()) return claim.provider_id == instance.provider_id;
  if (claim.meta.name == instance.claim_name || !model::unreadable(claim).empty()) return true;
  // An instance of a batch is tagged with its claim when its Node registers. Until the claim knows its instance, each
  // instance of its batch may be the one, e.g. if the answer of the call is late or lost.
  if (!instance.claim_name.empty() || instance.launch_batch.empty()) return false;
  const auto batch = cloud::parse_launch_batch(model::lookup(claim.meta.annotations, cloud::kAnnotationLaunchBatch));
  return batch && batch->id == instance.launch_batch;
}

size_t most_in_a_pass(size_t known) { return std::max<size_t>(1, known / kEndsOneIn); }

Garbage find_garbage(const View& view) {
  Garbage garbage;
  std::set<std::string> claimed, alive;
  for (const auto& claim : view.claims) claimed.insert(claim->provider_id);
  for (const auto& instance : view.instances) {
    if (instance.deleting) continue;
    alive.insert(instance.provider_id);
    const bool old_enough = view.now - instance.launched_at > kInstanceGrace;
    if (!claimed.contains(instance.provider_id) && old_enough) garbage.instances.push_back(instance);
  }
  std::optional<NodesById> nodes;  // most passes need none
  for (const auto& claim : view.claims) {
    if (claim->meta.deleting() || !claim->is(model::kRegistered) || alive.contains(claim->provider_id)) continue;
    if (claim->provider_id.empty() || !model::unreadable(*claim).empty()) continue;
    if (!nodes) nodes = by_provider_id(view);
    if (has_ready_node(*nodes, claim->provider_id)) continue;
    garbage.claims.push_back({*claim, "garbage_collected", "", view.pods_on(claim->node_name)});
  }
  return garbage;
}

plan::Plan decide_end(const cloud::Instance& instance, const std::vector<std::shared_ptr<const model::Node>>& nodes) {
  plan::Plan plan;
  plan.add(plan::TerminateInstance{instance.provider_id});
  for (const auto& node : nodes) {
    if (!node->meta.deleting() && node->provider_id == instance.provider_id)
      plan.add(plan::DeleteNode{node->meta.name, node->meta.uid});
  }
  plan.log.push_back({"terminated " + instance.provider_id + ": it has no NodeClaim",
                      {.node_pool = instance.pool, .provider_id = instance.provider_id}});
  return plan;
}

void Controller::start() {
  loop_ = context_.runtime.spawn("garbagecollection", [this](const std::stop_token& stop) {
    for (int round = 0; !stop.stop_requested(); ++round) {
      const Duration pause = round < kFirstRounds && limited_.empty() ? kFirstInterval : kInterval;
      if (context_.runtime.sleep_for(pause, stop) == runtime::Wake::kStopped) return;
      const log::Scope scope({.controller = "nodeclaim.garbagecollection"});
      const Status done = collect(stop);
      if (!done && done.error().code != Code::kCancelled) context_.log.failure("garbagecollection", "", done.error());
    }
  });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

Status Controller::report_losses(Instant now, const std::stop_token& stop) {
  plan::Plan plan;
  for (const std::string& pool : instances_.take_lost()) {
    context_.metrics.instances_lost.add({{"nodepool", pool}});
    if (!alarm_.record_loss(pool, now)) continue;
    const std::string what = std::to_string(LossAlarm::kMany) + " instances or more ended within " +
                             format_go_duration(LossAlarm::kWithin) + ", unannounced, and not by us";
    plan.log.push_back({model::pool_reference(pool) + ": " + what, {.node_pool = pool}});
    if (const auto found = context_.cluster.pools.get(pool))
      plan.event(plan::ref(*found), "Warning", "InstancesLost", what);
  }
  TRY(context_.applier.apply(plan, stop));
  return ok();
}

Status Controller::collect(const std::stop_token& stop) {
  View view;
  view.instances = TRY(instances_.list(stop));  // first, so that the claims are at least as new
  view.now = context_.runtime.now();
  TRY(report_losses(view.now, stop));
  if (!context_.cluster.caches_synced() || !context_.cluster.trusted()) return ok();
  view.claims = context_.cluster.claims.list();
  view.nodes = context_.cluster.nodes.list();
  view.pods_on = [this](const std::string& node) { return reschedulable_pods(context_.cluster, node); };
  Garbage garbage = find_garbage(view);
  const Status terminated = terminate(view, std::move(garbage.instances), stop);
  const Status deleted = delete_claims(view, garbage.claims, stop);
  return terminated ? deleted : terminated;
}

Status Controller::terminate(const View& view, std::vector<cloud::Instance> candidates, const std::stop_token& stop) {
  if (!candidates.empty()) {
    const std::vector<model::NodeClaim> claims = TRY(context_.cluster.read_claims(stop));
    std::erase_if(candidates, [&](const cloud::Instance& instance) {
      return std::any_of(claims.begin(), claims.end(), [&](const auto& claim) { return may_own(claim, instance); });
    });
  }
  const size_t most = most_in_a_pass(view.instances.size());
  std::set<std::string> pools;
  for (const auto& instance : candidates) pools.insert(instance.pool);
  Status worst = limit("Instance", candidates.size(), most, pools, stop);
  size_t ended = 0;
  for (const cloud::Instance& instance : candidates) {
    if (ended == most) break;
    const Result<bool> ends = end_unclaimed(instance, view, stop);
    if (ends && *ends) ++ended;
    if (!ends) worst = fail(ends.error());  // go on: a zonal shift may block one zone only
  }
  return worst;
}

// Returns false if the instance turns out to have a NodeClaim.
Result<bool> Controller::end_unclaimed(const cloud::Instance& instance, const View& view, const std::stop_token& stop) {
  if (!instance.claim_name.empty()) {
    const auto claim = TRY(context_.cluster.read_claim(instance.claim_name, stop));
    if (claim && may_own(*claim, instance)) return false;
  }
  TRY(context_.applier.apply(decide_end(instance, view.nodes), stop));
  return true;
}

Status Controller::delete_claims(const View& view, const std::vector<plan::DeleteNodeClaim>& candidates,
                                 const std::stop_token& stop) {
  const size_t most = most_in_a_pass(view.claims.size());
  std::set<std::string> pools;
  for (const auto& action : candidates) pools.emplace(action.claim.pool());
  Status worst = limit("NodeClaim", candidates.size(), most, pools, stop);
  size_t deleted = 0;
  for (const plan::DeleteNodeClaim& action : candidates) {
    if (deleted == most) break;
    const auto instance = instances_.get(action.claim.provider_id, stop);
    if (instance && !instance->deleting) continue;  // it was missing only from the list
    Status done = ok();
    if (!instance && instance.error().code != Code::kNotFound) {
      done = fail(instance.error());
    } else {
      plan::Plan plan;
      plan.add(action);
      plan.log.push_back(log::step(log::kGarbage, plan::log_fields(action.claim)));
      const auto applied = context_.applier.apply(plan, stop);
      if (!applied) done = fail(applied.error());
    }
    if (done) {
      ++deleted;
    } else {
      worst = done;
    }
  }
  return worst;
}

Status Controller::limit(const std::string& kind, size_t wanted, size_t most, const std::set<std::string>& pools,
                         const std::stop_token& stop) {
  context_.metrics.collection_held_back.set({{"kind", kind}}, static_cast<double>(wanted - std::min(wanted, most)));
  if (wanted <= most) {
    limited_.erase(kind);
    return ok();
  }
  if (!limited_.insert(kind).second) return ok();
  const std::string what =
      kind == "Instance" ? "instances without a NodeClaim" : "NodeClaims whose instance has vanished";
  const std::string text = std::to_string(wanted) + " " + what + " were found at once; at most " +
                           std::to_string(most) + " are ended every " + format_go_duration(kInterval);
  plan::Plan plan;
  plan.log.push_back({text});
  for (const std::string& name : pools) {
    if (const auto pool = context_.cluster.pools.get(name))
      plan.event(plan::ref(*pool), "Warning", "GarbageCollectionLimited", text);
  }
  TRY(context_.applier.apply(plan, stop));
  return ok();
}

}  // namespace tenon::controllers::garbage_collection
