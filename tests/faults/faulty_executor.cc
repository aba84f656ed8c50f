// SPDX-License-Identifier: Apache-2.0
#include "faults/faulty_executor.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "cloud/interruption.h"

namespace tenon::faults {
namespace {

using controllers::Executor;
using controllers::Outcome;

class SkipsDrains final : public Executor {
 public:
  explicit SkipsDrains(Executor& inner) : inner_(inner) {}

  Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) override {
    note_instances(plan);
    const auto* eviction = plan::find<plan::EvictPod>(plan);
    if (!eviction) return inner_.apply(plan, outcome, stop);
    TRY(inner_.apply(without_evictions(plan), outcome, stop));
    plan::Plan terminate;
    {
      const std::lock_guard lock(mutex_);
      terminate.add(plan::TerminateInstance{provider_ids_[eviction->node.name]});
    }
    Outcome ignored;
    return inner_.apply(terminate, ignored, stop);
  }

 private:
  static plan::Plan without_evictions(const plan::Plan& plan) {
    plan::Plan rest;
    for (size_t i = 0; i < plan.actions.size(); ++i) {
      if (std::binary_search(plan.groups.begin(), plan.groups.end(), i)) rest.begin_group();
      if (!std::holds_alternative<plan::EvictPod>(plan.actions[i])) rest.add(plan.actions[i]);
    }
    return rest;
  }
  void note_instances(const plan::Plan& plan) {
    const std::lock_guard lock(mutex_);
    for (const plan::Action& action : plan.actions) {
      if (const auto* patch = std::get_if<plan::PatchNode>(&action))
        provider_ids_[patch->after.meta.name] = patch->after.provider_id;
    }
  }

  Executor& inner_;
  std::mutex mutex_;
  std::map<std::string, std::string> provider_ids_;  // by Node
};

class SkipsWaiting final : public Executor {
 public:
  explicit SkipsWaiting(Executor& inner) : inner_(inner) {}

  Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) override {
    TRY(inner_.apply(plan, outcome, stop));
    plan::Plan deletions;
    std::map<std::string, const model::NodeClaim*> claims;
    for (const plan::Action& action : plan.actions) {
      if (const auto* patch = std::get_if<plan::PatchNodeClaim>(&action))
        claims[patch->after.meta.name] = &patch->after;
      const auto* mark = std::get_if<plan::MarkForDeletion>(&action);
      if (mark && claims.contains(mark->claim)) deletions.add(plan::DeleteNodeClaim{*claims[mark->claim], "hasty"});
    }
    Outcome ignored;
    return inner_.apply(deletions, ignored, stop);
  }

 private:
  Executor& inner_;
};

class IgnoresNotices final : public Executor {
 public:
  explicit IgnoresNotices(Executor& inner) : inner_(inner) {}

  Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) override {
    using Kind = cloud::InterruptionKind;
    static const std::set<std::string_view> kNotices{
        to_string(Kind::kSpotInterrupted),    to_string(Kind::kReservationInterrupted),
        to_string(Kind::kInstanceTerminated), to_string(Kind::kInstanceStopped),
        to_string(Kind::kScheduledChange),    to_string(Kind::kInstanceStatus),
        to_string(Kind::kSystemStatus),       to_string(Kind::kEventStatus)};
    const auto* gone = plan::find<plan::DeleteNodeClaim>(plan);
    if (gone && kNotices.contains(gone->why)) return ok();
    return inner_.apply(plan, outcome, stop);
  }

 private:
  Executor& inner_;
};

}  // namespace

std::unique_ptr<Executor> skip_drains(Executor& inner) { return std::make_unique<SkipsDrains>(inner); }
std::unique_ptr<Executor> skip_waiting(Executor& inner) { return std::make_unique<SkipsWaiting>(inner); }
std::unique_ptr<Executor> ignore_notices(Executor& inner) { return std::make_unique<IgnoresNotices>(inner); }

}  // namespace tenon::faults
