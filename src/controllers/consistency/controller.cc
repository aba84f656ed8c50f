// SPDX-License-Identifier: Apache-2.0
#include "controllers/consistency/controller.h"

#include "controllers/consistency/decide.h"
#include "model/unreadable.h"

namespace tenon::controllers::consistency {

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime, {.name = "nodeclaim.consistency", .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  context_.cluster.claims.on_change([this](const auto& change) {
    const bool launched =
        change.after && !change.after->provider_id.empty() && (!change.before || change.before->provider_id.empty());
    if (launched || !change.after) loop_.add(change.key);
  });
}

Instant Controller::next_scan(const model::NodeClaim& claim, Instant now) {
  const std::lock_guard lock(mutex_);
  Instant& due = due_.try_emplace(claim.meta.name, now).first->second;
  const Instant this_time = due;
  if (due <= now) due = now + kScanInterval;
  return this_time;
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto claim = context_.cluster.claims.get(name);
  if (!claim) {
    const std::lock_guard lock(mutex_);
    due_.erase(name);
    return Next{};
  }
  // The first check comes right after the launch, mostly before a Node exists, and starts the interval.
  const Instant now = context_.runtime.now();
  const Instant due = next_scan(*claim, now);
  if (due > now) return Next{due - now};
  const auto nodes = context_.cluster.nodes_with_provider_id(claim->provider_id);
  if (nodes.size() == 1 && model::unreadable(*claim).empty() && model::unreadable(*nodes.front()).empty()) {
    const auto done = context_.applier.apply(decide(*claim, *nodes.front(), now), stop);
    if (!done) {
      const std::lock_guard lock(mutex_);
      due_[name] = now;  // nothing was written: the check does not count
      return fail(done.error());
    }
  }
  return Next{kScanInterval};
}

}  // namespace tenon::controllers::consistency
