// SPDX-License-Identifier: Apache-2.0
#include "controllers/interruption/controller.h"

#include "controllers/interruption/decide.h"
#include "controllers/pods.h"
#include "runtime/backoff.h"

namespace tenon::controllers::interruption {

static_assert(kHeadStart <= state::kLongestHold);

Controller::Controller(Context& context, cloud::HealthReader& health, cloud::InterruptionQueue* queue)
    : context_(context), health_(health), queue_(queue) {}

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
      {context_.runtime, *queue_, context_.metrics, context_.log},
      [this](const std::string& id, const auto& what, const auto& own_stop) { return handle(id, what, own_stop); });
  runtime::Backoff backoff({.first = kFirstRetry, .max = kLastRetry});
  while (!stop.stop_requested()) {
    const Status read = dispatcher.round(kPollWait, stop);
    if (read) {
      backoff.reset();
      continue;
    }
    if (read.error().code == Code::kCancelled) return;
    context_.log.failure("interruption", "", read.error());
    if (context_.runtime.sleep_for(backoff.next(), stop) == runtime::Wake::kStopped) return;
  }
}

void Controller::watch_statuses(const std::stop_token& stop) {
  while (context_.runtime.sleep_for(kStatusInterval, stop) == runtime::Wake::kTimeout) {
    const Status looked = poll_statuses(stop);
    if (looked || looked.error().code == Code::kCancelled) continue;
    context_.log.failure("interruption.instancestatus", "", looked.error());
    if (looked.error().code == Code::kForbidden) return;  // until a restart: the permission is missing from the role
  }
}

Status Controller::poll_statuses(const std::stop_token& stop) {
  std::set<cloud::SickInstance> sick;
  for (const cloud::SickInstance& instance : TRY(health_.sick_instances(stop))) {
    const auto claim = context_.cluster.claim_with_instance_id(instance.id);
    if (!claim) continue;
    sick.insert(instance);
    if (!known_sick_.contains(instance)) {
      context_.metrics.instances_unhealthy.add({{"category", std::string(to_string(instance.kind))}});
    }
    if (claim->meta.deleting()) continue;
    const auto handled = handle(instance.id, {instance.kind, {instance.id}, context_.runtime.now()}, stop);
    if (!handled) context_.log.failure("interruption.instancestatus", instance.id, handled.error());
  }
  known_sick_ = std::move(sick);
  return ok();
}

void Controller::record_deletion(const std::string& uid, Instant now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(deleted_at_, [&](const auto& entry) { return now - entry.second > kUntilSeen; });
  deleted_at_[uid] = now;
}

bool Controller::recently_deleted(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  return deleted_at_.contains(uid);
}

Result<Handled> Controller::handle(const std::string& instance_id, const cloud::Interruption& what,
                                   const std::stop_token& stop) {
  const auto claim = context_.cluster.claim_with_instance_id(instance_id);
  if (!claim && context_.cluster.claims.doubtful())
    return fail(Code::kUnavailable, instance_id + ": the cache of NodeClaims may be incomplete");
  if (!claim) return Handled::kForeign;
  View view{*claim, {}, instance_id, what.kind, 0, context_.runtime.now()};
  if (!claim->meta.deleting() && recently_deleted(claim->meta.uid)) view.claim.meta.deleted_at = view.now;
  const bool duplicate = view.claim.meta.deleting();
  for (const auto& node : context_.cluster.nodes_with_provider_id(claim->provider_id)) {
    view.nodes.push_back(*node);
    view.pods += reschedulable_pods(context_.cluster, node->meta.name);
  }
  const plan::Plan plan = decide(view);
  TRY(context_.applier.apply(plan, stop));
  if (plan::find<plan::DeleteNodeClaim>(plan)) record_deletion(claim->meta.uid, view.now);
  return duplicate ? Handled::kDuplicate : Handled::kDone;
}

}  // namespace tenon::controllers::interruption
