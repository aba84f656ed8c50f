// SPDX-License-Identifier: Apache-2.0
#include "controllers/lifecycle/controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "cloud/launch_batch.h"
#include "log/messages.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/unreadable.h"
#include "state/limits.h"

namespace tenon::controllers::lifecycle {
namespace {
// Launches in flight: each blocks on the cloud for about a second, and those of a batch on each other.
constexpr int kWorkers = cloud::kMaxLaunchBatch + 16;
}  // namespace

Controller::Controller(Context& context, cloud::LaunchReader& launches, cloud::InstanceReader& instances)
    : context_(context),
      launches_(launches),
      instances_(instances),
      recorded_(context.runtime.make_event()),
      loop_(context.runtime,
            {.name = "nodeclaim.lifecycle",
             .workers = kWorkers,
             .base_delay = 1s,
             .max_delay = 1min,
             .log = context.log,
             .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  auto& cluster = context_.cluster;
  cluster.claims.on_change([this](const auto& change) {
    if (!change.after || change.after->is(model::kLaunched))
      forget_launch(*(change.after ? change.after : change.before));
    loop_.add(change.key);
  });
  cluster.nodes.on_change([this](const auto& change) {
    const auto& node = change.after ? change.after : change.before;
    if (const auto claim = context_.cluster.claim_with_provider_id(node->provider_id)) loop_.add(claim->meta.name);
  });
  if (context_.freeze) {
    context_.freeze->on_change([this] {  // the launches that a freeze held back
      for (const auto& claim : context_.cluster.claims.list()) {
        if (needs_launch(*claim)) loop_.add(claim->meta.name);
      }
    });
  }
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto claim = context_.cluster.claims.get(name);
  if (!claim || rests(claim->meta.uid) || !model::unreadable(*claim).empty()) return Next{};
  View view{*claim, {}, context_.runtime.now()};
  if (!claim->provider_id.empty()) {
    for (const auto& node : context_.cluster.nodes_with_provider_id(claim->provider_id)) view.nodes.push_back(*node);
  }
  // A launch is recorded before the claim ends: without its provider id the claim would end and leak the instance.
  if (claim->meta.deleting()) return unrecorded(*claim) ? launch(view, stop) : end(view, stop);
  if (registers(view)) {
    view.before_registration = ask_before_registration(*claim, stop);
    view.now = context_.runtime.now();
  }
  const plan::Plan first = decide(view);
  // If liveness already deletes the claim, nothing is launched for it.
  const bool deleted = std::any_of(first.actions.begin(), first.actions.end(), [](const plan::Action& action) {
    return std::holds_alternative<plan::DeleteNodeClaim>(action);
  });
  const Duration pause = needs_launch(*claim) ? retry_at(claim->meta.uid) - view.now : Duration(0);
  if (needs_launch(*claim) && !deleted && pause <= Duration(0)) {
    const std::string adopted = adopted_instance(*claim);
    return adopted.empty() ? launch(view, stop) : adopt(std::move(view), adopted, stop);
  }
  Next next = TRY(apply(first, stop));
  note_outcome(*claim, outcome_of(first));
  if (pause > Duration(0) && !deleted) next = std::min(next.value_or(kLastRetry), pause);
  return next;
}

cloud::BeforeRegistration Controller::ask_before_registration(const model::NodeClaim& claim,
                                                              const std::stop_token& stop) {
  const auto node_class = context_.cluster.node_class_of(claim);
  return node_class ? launches_.before_registration(claim, *node_class, stop) : cloud::BeforeRegistration();
}

// Sets the view's time to now: an answer of the cloud holds from its arrival, not from the request.
View Controller::as_of_now(View view) const {
  view.now = context_.runtime.now();
  return view;
}

// The same after a launch, and with the latest version of the claim: others may have changed it meanwhile, and a record
// of the launch on the older version would be rejected.
View Controller::after_launch(View view) const {
  const auto latest = context_.cluster.claims.get(view.claim.meta.name);
  const bool same = latest && latest->meta.uid == view.claim.meta.uid && latest->provider_id == view.claim.provider_id;
  if (same && model::unreadable(*latest).empty()) view.claim = *latest;
  return as_of_now(std::move(view));
}

// Returns when a failed launch may be retried; the change of its own condition does not retry it earlier.
Instant Controller::retry_at(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  const auto retry = retries_.find(uid);
  return retry == retries_.end() ? Instant() : retry->second.at;
}

void Controller::forget_launch(const model::NodeClaim& claim) {
  {
    const std::lock_guard lock(mutex_);
    launched_.erase(claim.meta.uid);
    retries_.erase(claim.meta.uid);
  }
  end_launch(claim.meta.uid);
}

void Controller::wind_down() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
}

bool Controller::await_recorded(Instant deadline, const std::stop_token& stop) {
  while (true) {
    const uint64_t seen = recorded_->version();
    if (all_recorded()) return true;
    if (recorded_->wait(seen, deadline, stop) != runtime::Wake::kNotified) return all_recorded();
  }
}

bool Controller::all_recorded() {
  const std::lock_guard lock(mutex_);
  return in_flight_.empty();
}

// Returns false if the process is about to end.
bool Controller::begin_launch(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  if (ending_) return false;
  in_flight_.insert(uid);
  return true;
}

void Controller::end_launch(const std::string& uid) {
  {
    const std::lock_guard lock(mutex_);
    if (in_flight_.erase(uid) == 0) return;
  }
  recorded_->notify();
}

// True if the cloud has answered and the claim does not show it yet.
bool Controller::unrecorded(const model::NodeClaim& claim) {
  const std::lock_guard lock(mutex_);
  return claim.provider_id.empty() && launched_.contains(claim.meta.uid);
}

// True if nothing is decided about the claim any more: the process ends and no launch of the claim is in flight.
bool Controller::rests(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  return ending_ && !in_flight_.contains(uid);
}

void Controller::note_launch(const std::string& uid, bool failed) {
  const Instant now = context_.runtime.now();
  const std::lock_guard lock(mutex_);
  if (!failed) {
    retries_.erase(uid);
    return;
  }
  Retry& retry = retries_[uid];
  retry.at = now + retry.pauses.next();
}

// Returns the types of the claim's pool with overlays applied; null if no overlay affects the claim.
cloud::InstanceTypes Controller::overlaid_types(const model::NodeClaim& claim) const {
  const auto& annotations = claim.meta.annotations;
  if (!annotations.contains(model::kAnnotationPriceOverlay) && !annotations.contains(model::kAnnotationCapacityOverlay))
    return nullptr;
  const auto view = context_.cluster.pool_view(claim.pool());
  return view ? view->types : nullptr;
}

// Without the instance types, the limits of the NodePool cannot be compared with the nodes: nothing is launched then,
// because the claim may have counted on the removal of a node that stays after a restart.
void Controller::check_limits(const model::NodeClaim& claim, LaunchView& launch) const {
  const auto pool = context_.cluster.pools.get(std::string(claim.pool()));
  if (!pool || !pool->limits) return;
  const auto view = context_.cluster.pool_view(claim.pool());
  if (view && view->types) {
    launch.over_limits = state::over_limits(*view, context_.cluster.pool_use(pool->meta.name), claim);
  } else {
    launch.unchecked = "the limits of " + model::pool_reference(pool->meta.name) + " cannot be checked: " +
                       (view && !view->not_ready.empty() ? view->not_ready : "its instance types are not known");
  }
}

// Returns what the launch of the claim depends on.
LaunchView Controller::launch_view(const model::NodeClaim& claim) const {
  LaunchView launch{context_.cluster.node_class_of(claim)};
  if (!usable(launch)) return launch;
  check_limits(claim, launch);
  if (launch.over_limits.empty() && launch.unchecked.empty()) launch.types = overlaid_types(claim);
  return launch;
}

Result<Next> Controller::launch(const View& view, const std::stop_token& stop) {
  const std::string& uid = view.claim.meta.uid;
  std::optional<cloud::Instance> instance;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = launched_.find(uid); it != launched_.end()) {
      if (it->second.written) return Next{};  // the view is older than the write
      instance = it->second.instance;
    }
  }
  if (!instance) {
    // Either the claim was never launched, or the entry was dropped because the cache shows the launch; then the view
    // is older.
    const auto latest = context_.cluster.claims.get(view.claim.meta.name);
    if (!latest || !needs_launch(*latest)) return Next{};
    const plan::Plan plan = decide_launch(view, launch_view(view.claim));
    if (!plan::find<plan::LaunchInstance>(plan)) {
      if (!plan::find<plan::DeleteNodeClaim>(plan)) note_launch(uid, true);
      return apply(plan, stop);
    }
    if (!begin_launch(uid)) return Next{};
    note_launch(uid, true);  // unless it succeeds
    controllers::Outcome outcome;
    const Status done = context_.applier.apply(plan, outcome, stop);
    if (!done) {
      Result<Next> told =
          launch_failed(view, outcome.failures.empty() ? done.error() : outcome.failures.front().error, stop);
      end_launch(uid);
      return told;
    }
    note_launch(uid, false);
    if (const auto held = outcome.held.begin(); held != outcome.held.end()) {
      Result<Next> waits = apply(decide_launch_held(after_launch(view), held->second), stop);
      end_launch(uid);
      return waits;
    }
    instance = std::move(outcome.launched.begin()->second);
    log::Fields about = plan::log_fields(view.claim);
    about.controller = "nodeclaim.lifecycle";
    about.provider_id = instance->provider_id;
    about.more = {{log::Key::kInstanceType, instance->instance_type},
                  {log::Key::kZone, instance->zone},
                  {log::Key::kCapacityType, instance->capacity_type},
                  {log::Key::kAllocatable, plan::log_amounts(instance->allocatable)}};
    context_.log.tell(log::decision(log::kLaunchedNodeClaim, std::move(about),
                                    fmt::format("launched {} in {} ({}) for nodeclaim/{}", instance->instance_type,
                                                instance->zone, instance->capacity_type, view.claim.meta.name)));
    const std::lock_guard lock(mutex_);
    launched_[uid] = {*instance};
  }
  TRY(context_.applier.apply(decide_launched(after_launch(view), *instance), stop));
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = launched_.find(uid); it != launched_.end()) it->second.written = true;
  }
  end_launch(uid);
  return Next{};
}

Result<Next> Controller::adopt(View view, const std::string& provider_id, const std::stop_token& stop) {
  auto found = instances_.get(provider_id, stop);
  if (!found && found.error().code != Code::kNotFound) return fail(std::move(found).error());
  view = as_of_now(std::move(view));
  for (const auto& node : context_.cluster.nodes_with_provider_id(provider_id)) view.nodes.push_back(*node);
  return apply(decide_adopted(view, found ? std::optional(std::move(*found)) : std::nullopt), stop);
}

Result<Next> Controller::launch_failed(const View& view, const Error& error, const std::stop_token& stop) {
  if (error.code == Code::kCancelled) return fail(error);
  const bool ends = error.code == Code::kInsufficientCapacity || error.code == Code::kConflict;
  context_.log.failure("nodeclaim.lifecycle", view.claim.meta.name, error,
                       ends ? log::kFailedLaunch.text : "Reconciler error");
  const std::string reason = launches_.launch_failure(error);
  return apply(decide_launch_failed(after_launch(view), error, reason, launches_.launch_warning(error)), stop);
}

Result<Next> Controller::end(const View& view, const std::stop_token& stop) {
  plan::Plan plan = decide_ending(view, std::nullopt);
  if (plan::find<plan::TerminateInstance>(plan)) {
    const controllers::Outcome answer = TRY(context_.applier.apply(plan, stop));
    plan = decide_ending(as_of_now(view), answer.gone.contains(view.claim.provider_id));
  }
  return apply(plan, stop);
}

Result<Next> Controller::apply(const plan::Plan& plan, const std::stop_token& stop) {
  TRY(context_.applier.apply(plan, stop));
  return Next{plan.again};
}

// Counts only claims of the current NodePool, not of an earlier one with the same name.
void Controller::note_outcome(const model::NodeClaim& claim, const std::optional<Outcome>& outcome) {
  const auto pool = context_.cluster.pools.get(std::string(claim.pool()));
  if (!outcome || !pool) return;
  const auto& owners = claim.meta.owners;
  const std::string& uid = pool->meta.uid;
  if (std::none_of(owners.begin(), owners.end(), [&](const auto& owner) { return owner.uid == uid; })) return;
  if (outcome->registered) {
    context_.health.succeeded(uid);
  } else {
    context_.health.failed(uid, outcome->reason, outcome->message);
  }
}

}  // namespace tenon::controllers::lifecycle
