// The Lease's times are only compared with each other, never with our clock: what counts is how long *we* have seen it
// unchanged, so clocks that differ between machines do no harm. parity: client-go leaderelection.go tryAcquireOrRenew
// SPDX-License-Identifier: Apache-2.0
#include "kube/leader.h"

#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::kube {

struct LeaderElector::Observed {
  std::string record;  // the spec as it was last seen
  Instant since{};
};

LeaderElector::LeaderElector(runtime::Runtime& runtime, Client& client, LeaderOptions options)
    : runtime_(runtime), client_(client), options_(std::move(options)), observed_(std::make_unique<Observed>()) {}

LeaderElector::~LeaderElector() { renewing_.reset(); }

std::string LeaderElector::last_problem() const {
  const std::lock_guard lock(mutex_);
  return last_problem_;
}

Status LeaderElector::acquire(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<bool> got = try_acquire(stop);
    if (got && *got) {
      leading_ = true;
      renewing_ = runtime_.spawn("leader", [this](const std::stop_token& s) { renew(s); });
      return ok();
    }
    if (!got) {
      const std::lock_guard lock(mutex_);
      last_problem_ = got.error().message;
    }
    const auto jitter =
        Duration(static_cast<int64_t>(runtime_.random() % static_cast<uint64_t>(options_.retry.count())));
    runtime_.sleep_for(options_.retry + jitter / 4, stop);
  }
  return fail(Code::kCancelled, "stopped while waiting for the lease " + options_.ns + "/" + options_.name);
}

// True: it is ours now. False: somebody else has it.
Result<bool> LeaderElector::try_acquire(const std::stop_token& stop) {
  const ObjectName name{options_.ns, options_.name};
  const Instant now = runtime_.now();
  json::object spec{{"holderIdentity", options_.identity},
                    {"leaseDurationSeconds", std::chrono::duration_cast<std::chrono::seconds>(options_.lease).count()},
                    {"acquireTime", format_rfc3339_micro(now)},
                    {"renewTime", format_rfc3339_micro(now)},
                    {"leaseTransitions", 0}};
  Result<json::value> lease = client_.get(kLeases, name, stop);
  if (!lease && lease.error().code == Code::kNotFound) {
    const json::value created = json::object{{"apiVersion", kLeases.api_version()},
                                             {"kind", kLeases.kind},
                                             {"metadata", {{"name", name.name}, {"namespace", name.ns}}},
                                             {"spec", std::move(spec)}};
    TRY(client_.create(kLeases, name.ns, created, stop));
    return true;
  }
  if (!lease) return fail(lease.error());

  const std::string holder(json::string_at(*lease, {"spec", "holderIdentity"}));
  const std::string record = json::to_string(json::object_at(*lease, {"spec"}));
  if (record != observed_->record) *observed_ = {record, now};
  const bool ours = holder == options_.identity;
  const auto theirs = std::chrono::seconds(json::int_at(*lease, {"spec", "leaseDurationSeconds"}));
  if (!ours && !holder.empty() && now < observed_->since + theirs) return false;

  const int64_t transitions = json::int_at(*lease, {"spec", "leaseTransitions"});
  spec["leaseTransitions"] = ours ? transitions : transitions + 1;
  if (const json::value* since = json::find(*lease, {"spec", "acquireTime"}); ours && since)
    spec["acquireTime"] = *since;
  lease->get_object()["spec"] = std::move(spec);
  // Carries the resourceVersion: of two that try at once one is refused.
  const json::value updated = TRY(client_.update(kLeases, name, *lease, "", stop));
  *observed_ = {json::to_string(json::object_at(updated, {"spec"})), now};
  return true;
}

void LeaderElector::renew(const std::stop_token& stop) {
  Instant renewed = runtime_.now();
  while (runtime_.sleep_for(options_.retry, stop) != runtime::Wake::kStopped) {
    const Result<bool> got = try_acquire(stop);
    if (stop.stop_requested()) return;
    if (got && *got) {
      renewed = runtime_.now();
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      last_problem_ = got ? "another replica holds the lease" : got.error().message;
    }
    if ((got && !*got) || runtime_.now() - renewed >= options_.renew_deadline) {
      leading_ = false;
      if (on_lost_) on_lost_();
      return;
    }
  }
}

void LeaderElector::release() {
  renewing_.reset();
  if (!leading_.exchange(false)) return;
  const std::stop_source never;
  Result<json::value> lease = client_.get(kLeases, {options_.ns, options_.name}, never.get_token());
  if (!lease || json::string_at(*lease, {"spec", "holderIdentity"}) != options_.identity) return;
  json::ensure(*lease, {"spec", "holderIdentity"}) = "";
  json::ensure(*lease, {"spec", "leaseDurationSeconds"}) = 1;
  json::ensure(*lease, {"spec", "renewTime"}) = format_rfc3339_micro(runtime_.now());
  const auto released = client_.update(kLeases, {options_.ns, options_.name}, *lease, "", never.get_token());
  if (!released) {
    const std::lock_guard lock(mutex_);
    last_problem_ = released.error().message;
  }
}

}  // namespace tenon::kube
