// SPDX-License-Identifier: Apache-2.0
#include "controllers/interruption/controller.h"

#include <algorithm>

#include "controllers/interruption/decide.h"
#include "controllers/pods.h"

namespace tenon::controllers::interruption {

Controller::Controller(Context& context, cloud::InterruptionQueue* queue) : context_(context), queue_(queue) {}

void Controller::start() {
  if (queue_ != nullptr) {
    reader_ = context_.runtime.spawn("interruption", [this](const std::stop_token& stop) { read_queue(stop); });
  }
  watcher_ = context_.runtime.spawn("interruption.instancestatus",
                                    [this](const std::stop_token& stop) { watch_statuses(stop); });
}

void Controller::stop() {
  if (reader_) reader_->request_stop();
  if (watcher_) watcher_->request_stop();
  reader_.reset();
  watcher_.reset();
}

void Controller::read_queue(const std::stop_token& stop) {
  Dispatcher dispatcher(
      {context_.runtime, *queue_, context_.metrics,
       [this](const std::string& key, const Error& error) { context_.failed("interruption", key, error); }},
      [this](const std::string& id, const auto& what, const auto& own_stop) { return handle(id, what, own_stop); });
  Duration pause{};
  while (!stop.stop_requested()) {
    const Status read = dispatcher.round(kPollWait, stop);
    if (read) {
      pause = Duration(0);
      continue;
    }
    if (read.error().code == Code::kCancelled) return;
    context_.failed("interruption", "", read.error());
    pause = std::clamp<Duration>(pause * 2, kFirstRetry, kLastRetry);
    if (context_.runtime.sleep_for(pause, stop) == runtime::Wake::kStopped) return;
  }
}

void Controller::watch_statuses(const std::stop_token& stop) {
  while (context_.runtime.sleep_for(kStatusInterval, stop) == runtime::Wake::kTimeout) {
    const Status looked = look_at_statuses(stop);
    if (looked || looked.error().code == Code::kCancelled) continue;
    context_.failed("interruption.instancestatus", "", looked.error());
    if (looked.error().code == Code::kForbidden) return;  // until a restart: the permission is missing from the role
  }
}

Status Controller::look_at_statuses(const std::stop_token& stop) {
  std::set<cloud::SickInstance> sick;
  for (const cloud::SickInstance& instance : TRY(context_.provider.sick_instances(stop))) {
    const auto claim = context_.cluster.claim_with_instance_id(instance.id);
    if (!claim) continue;
    sick.insert(instance);
    if (!known_sick_.contains(instance)) {
      context_.metrics.instances_unhealthy.add({{"category", std::string(to_string(instance.kind))}});
    }
    if (claim->meta.deleting()) continue;
    const auto handled = handle(instance.id, {instance.kind, {instance.id}, context_.runtime.now()}, stop);
    if (!handled) context_.failed("interruption.instancestatus", instance.id, handled.error());
  }
  known_sick_ = std::move(sick);
  return ok();
}

void Controller::note_told(const std::string& uid, Instant now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(told_, [&](const auto& entry) { return now - entry.second > kUntilSeen; });
  told_[uid] = now;
}

bool Controller::was_told(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  return told_.contains(uid);
}

Result<Handled> Controller::handle(const std::string& instance_id, const cloud::Interruption& what,
                                   const std::stop_token& stop) {
  if (context_.faults.ignore_notices) return Handled::kForeign;
  const auto claim = context_.cluster.claim_with_instance_id(instance_id);
  if (!claim && context_.cluster.claims.doubtful())
    return fail(Code::kUnavailable, instance_id + ": the cache of NodeClaims may be incomplete");
  if (!claim) return Handled::kForeign;
  View view{*claim, {}, what.kind, 0, context_.runtime.now()};
  if (!claim->meta.deleting() && was_told(claim->meta.uid)) view.claim.meta.deleted_at = view.now;
  const bool duplicate = view.claim.meta.deleting();
  for (const auto& node : context_.cluster.nodes_with_provider_id(claim->provider_id)) {
    view.nodes.push_back(*node);
    view.pods += reschedulable_pods(context_.cluster, node->meta.name);
  }
  const Decision decision = decide(view);
  if (decision.hold_drain) context_.provider.end_announced(*claim);
  if (decision.avoid_offering) context_.provider.taken_back(*claim);
  if (decision.hold_drain) context_.cluster.hold_drain(claim->meta.name, view.now + kHeadStart);
  TRY(context_.applier.apply(decision.plan, stop));
  if (decision.deletes) {
    note_told(claim->meta.uid, view.now);
    context_.decided("nodeclaim/" + claim->meta.name + " goes: " + std::string(to_string(what.kind)) + " of " +
                     instance_id);
  }
  return duplicate ? Handled::kDuplicate : Handled::kDone;
}

}  // namespace tenon::controllers::interruption
