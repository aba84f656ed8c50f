// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager/replica.h"

#include <utility>

namespace tenon::controllers {

Replica::Replica(runtime::Runtime& runtime, Parts parts, ReplicaOptions options)
    : runtime_(runtime), parts_(parts), options_(std::move(options)) {
  if (!options_.election) return;
  elector_ = std::make_unique<kube::LeaderElector>(runtime, parts_.leases, *options_.election);
  elector_->on_renewed([this](Instant until) { return parts_.fence.extend(until); });
  elector_->on_problem([this](const std::string& problem) { options_.log.warn("leader election: " + problem); });
  elector_->on_lost([this] {
    const std::string why = "lost the lease: " + elector_->last_problem();
    parts_.fence.close(why);
    lost_.request_stop();
    if (options_.lost) options_.lost(why);
  });
}

Replica::~Replica() = default;

Replica::End Replica::run(const std::stop_token& stop) {
  parts_.manager.warm_up();
  if (elector_) {
    options_.log.info("waiting to lead: " + options_.election->ns + "/" + options_.election->name);
    if (!elector_->acquire(stop)) {
      parts_.manager.stop();
      return End::kStopped;
    }
    options_.log.info("leading");
  }
  const End end = lead(stop);
  parts_.manager.stop();
  return end;
}

Replica::End Replica::lead(const std::stop_token& stop) {
  parts_.manager.lead();
  {
    std::stop_source either;
    const auto end = [&either] { either.request_stop(); };
    const std::stop_callback on_stop(stop, end), on_lost(lost_.get_token(), end);
    runtime_.sleep_until(kNever, either.get_token());
  }
  if (!lost_.stop_requested()) {
    const bool recorded = parts_.manager.finish(runtime_.now() + options_.launch_grace, lost_.get_token());
    if (!recorded) options_.log.info("launches in flight are left to the next leader");
  }
  if (lost_.stop_requested()) return End::kLostLease;
  parts_.fence.close("the process stops");
  if (elector_) elector_->release({});
  return End::kStopped;
}

void Replica::abandon() {
  parts_.fence.close("abandoned");
  lost_.request_stop();
}

}  // namespace tenon::controllers
