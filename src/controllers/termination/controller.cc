// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/controller.h"

#include <algorithm>

#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::termination {
namespace {
constexpr int kWorkers = 8;
constexpr Duration kUntilSeen = 5s;      // until an evicted pod shows as terminating
constexpr Duration kForgetAfter = 1min;  // since a back-off expired
}  // namespace

Controller::Controller(Context& context, cloud::InstanceReader& instances)
    : context_(context),
      instances_(instances),
      loop_(context.runtime,
            {.name = "node.termination", .workers = kWorkers, .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  auto& cluster = context_.cluster;
  cluster.nodes.on_change([this](const auto& change) {
    if (change.after && change.after->meta.deleting()) loop_.add(change.key);
  });
  // A drain waits while its claim cannot be read.
  cluster.claims.on_change([this](const auto& change) {
    if (!model::newly_readable(change.before, change.after)) return;
    for (const auto& node : context_.cluster.nodes_with_provider_id(change.after->provider_id)) {
      if (node->meta.deleting()) loop_.add(node->meta.name);
    }
  });
  context_.ledger.on_drain_released([this](const std::string& name) {
    const auto claim = context_.cluster.claims.get(name);
    if (!claim) return;
    for (const auto& node : context_.cluster.nodes_with_provider_id(claim->provider_id)) loop_.add(node->meta.name);
  });
  cluster.pods.on_change([this](const auto& change) {
    const auto& pod = change.after ? change.after : change.before;
    if (pod->node_name.empty()) return;
    const auto node = context_.cluster.nodes.get(pod->node_name);
    if (node && node->meta.deleting()) loop_.add(pod->node_name);
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto node = context_.cluster.nodes.get(name);
  if (!node || !node->meta.deleting() || !model::unreadable(*node).empty() || !context_.cluster.manages(*node)) {
    return Next{};
  }
  View view;
  view.node = *node;
  view.pods = context_.cluster.pods_on(name);
  view.now = context_.runtime.now();
  add_volumes(view);
  if (const auto claim = context_.cluster.claim_with_provider_id(node->provider_id)) {
    if (!model::unreadable(*claim).empty()) return Next{};
    view.claim = *claim;
    view.held_until = context_.ledger.drain_held_until(claim->meta.name);
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(refused_, [&](const auto& entry) { return view.now - entry.second.until > kForgetAfter; });
    for (const auto& pod : view.pods) {
      if (const auto at = refused_.find(pod->meta.uid); at != refused_.end())
        view.not_before[pod->meta.uid] = at->second.until;
    }
  }
  plan::Plan plan = decide(view, std::nullopt);
  if (!node->provider_id.empty()) {
    bool gone = false;
    if (!node->ready()) {  // no kubelet is left to stop pods on an instance that is gone
      const auto instance = instances_.get(node->provider_id, stop);
      gone = !instance && instance.error().code == Code::kNotFound;
    }
    bool terminates = plan::find<plan::TerminateInstance>(plan) != nullptr;
    if (!gone && terminates) {
      // kube-scheduler may have bound pods just before the taint, and the cache may not show them yet.
      view.pods = TRY(context_.cluster.read_pods_on(name, stop));
      view.now = context_.runtime.now();
      plan = decide(view, std::nullopt);
      terminates = plan::find<plan::TerminateInstance>(plan) != nullptr;
    }
    if (!gone && terminates) gone = TRY(context_.applier.apply(plan, stop)).gone.contains(node->provider_id);
    view.now = context_.runtime.now();  // the cloud calls took time
    if (gone || terminates) plan = decide(view, gone);
  }
  Outcome outcome;
  Status applied = context_.applier.apply(plan, outcome, stop);
  note_evictions(outcome, context_.runtime.now());
  if (outcome.eviction_problem) context_.log.failure("node.termination", name, *outcome.eviction_problem);
  TRY(std::move(applied));
  return Next{plan.again};
}

void Controller::add_volumes(View& view) const {
  for (const auto& attachment : context_.cluster.volume_attachments.list()) {
    if (attachment->node_name == view.node.meta.name) view.attachments[attachment->meta.name] = attachment->volume_name;
  }
  if (view.attachments.empty()) return;
  for (const auto& claim : context_.cluster.volume_claims.list()) {
    view.volume_of_claim[claim->meta.ns + "/" + claim->meta.name] = claim->volume_name;
  }
}

void Controller::note_evictions(const Outcome& outcome, Instant now) {
  const std::lock_guard lock(mutex_);
  for (const std::string& uid : outcome.evicted_pods) refused_[uid].until = now + kUntilSeen;
  for (const std::string& uid : outcome.refused_pods) refused_[uid].until = now + refused_[uid].pauses.next();
}

}  // namespace tenon::controllers::termination
