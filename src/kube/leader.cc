// The Lease's times are never compared with the local clock. The time for which *this* replica has observed it
// unchanged counts, so that differing clocks do no harm. parity: client-go leaderelection.go tryAcquireOrRenew
// SPDX-License-Identifier: Apache-2.0
#include "kube/leader.h"

#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::kube {

struct LeaderElector::Observed {
  json::value lease;   // the object as last observed; null: never
  std::string record;  // its spec
  Instant since{};     // when the response that first contained this spec arrived
};

LeaderElector::LeaderElector(runtime::Runtime& runtime, Client& client, LeaderOptions options)
    : runtime_(runtime), client_(client), options_(std::move(options)), observed_(std::make_unique<Observed>()) {}

LeaderElector::~LeaderElector() {
  renewing_.reset();
  clock_.reset();
}

std::string LeaderElector::last_problem() const {
  const std::lock_guard lock(mutex_);
  return last_problem_;
}

void LeaderElector::note_problem(std::string problem) {
  const std::lock_guard lock(mutex_);
  last_problem_ = std::move(problem);
}

void LeaderElector::report(const Result<bool>& attempt) {
  std::string problem = attempt ? "" : attempt.error().message;
  if (problem == reported_) return;
  reported_ = problem;
  if (problem.empty()) return;
  if (on_problem_) on_problem_(problem);
  note_problem(std::move(problem));
}

Instant LeaderElector::lead_until() const {
  const std::lock_guard lock(mutex_);
  return lead_until_;
}

Status LeaderElector::acquire(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<bool> got = try_acquire(stop);
    if (got && *got && runtime_.now() < lead_until()) {
      leading_ = true;
      if (on_renewed_) on_renewed_(lead_until());
      clock_ = runtime_.spawn("leader.clock", [this](const std::stop_token& s) { watch_clock(s); });
      renewing_ = runtime_.spawn("leader", [this](const std::stop_token& s) { renew(s); });
      return ok();
    }
    report(got);
    // Slightly less than the interval: with the exact interval, replicas that start together stay synchronized.
    const auto jitter = static_cast<int64_t>(runtime_.random() % static_cast<uint64_t>(options_.retry.count()));
    runtime_.sleep_for(options_.retry - Duration(jitter / 8), stop);
  }
  return fail(Code::kCancelled, "stopped while waiting for the lease " + options_.ns + "/" + options_.name);
}

// Returns true if this replica holds the lease now; false if another one does.
Result<bool> LeaderElector::try_acquire(const std::stop_token& stop) {
  const ObjectName name{options_.ns, options_.name};
  const Instant asked = runtime_.now();
  Result<json::value> lease = client_.get(kLeases, name, stop);
  if (!lease && lease.error().code == Code::kNotFound) {
    return write(json::object{{"apiVersion", kLeases.api_version()},
                              {"kind", kLeases.kind},
                              {"metadata", {{"name", name.name}, {"namespace", name.ns}}}},
                 stop);
  }
  if (!lease) return fail(lease.error());

  const std::string holder(json::string_at(*lease, {"spec", "holderIdentity"}));
  std::string record = json::to_string(json::object_at(*lease, {"spec"}));
  if (record != observed_->record) {
    // The holder may have renewed the lease while the request was in flight: its time counts from the response, this
    // replica's time below from the request.
    observed_->record = std::move(record);
    observed_->since = runtime_.now();
  }
  const auto theirs = std::chrono::seconds(json::int_at(*lease, {"spec", "leaseDurationSeconds"}));
  if (holder != options_.identity && !holder.empty() && asked < observed_->since + theirs) return false;
  return write(std::move(*lease), stop);
}

// The leader's last write is most likely current, and one request renews it.
Result<bool> LeaderElector::try_renew(const std::stop_token& stop) {
  if (!observed_->lease.is_null()) {
    Result<bool> renewed = write(observed_->lease, stop);
    if (renewed) return renewed;
    observed_->lease = nullptr;
    if (renewed.error().code != Code::kConflict && renewed.error().code != Code::kNotFound) return renewed;
  }
  return try_acquire(stop);
}

// Acquires or renews `lease`. It carries the resourceVersion: of two concurrent writes one is rejected.
Result<bool> LeaderElector::write(json::value lease, const std::stop_token& stop) {
  const Instant asked = runtime_.now();
  const bool exists = json::find(lease, {"spec"}) != nullptr;
  const bool ours = json::string_at(lease, {"spec", "holderIdentity"}) == options_.identity;
  const int64_t transitions = json::int_at(lease, {"spec", "leaseTransitions"});
  json::object spec{{"holderIdentity", options_.identity},
                    {"leaseDurationSeconds", std::chrono::duration_cast<std::chrono::seconds>(options_.lease).count()},
                    {"acquireTime", format_rfc3339_micro(asked)},
                    {"renewTime", format_rfc3339_micro(asked)},
                    {"leaseTransitions", !exists || ours ? transitions : transitions + 1}};
  if (const json::value* since = json::find(lease, {"spec", "acquireTime"}); ours && since)
    spec["acquireTime"] = *since;
  lease.get_object()["spec"] = std::move(spec);
  const ObjectName name{options_.ns, options_.name};
  const bool created = json::string_at(lease, {"metadata", "resourceVersion"}).empty();
  json::value written = created ? TRY(client_.create(kLeases, name.ns, lease, stop))
                                : TRY(client_.update(kLeases, name, lease, "", stop));
  *observed_ = {std::move(written), "", runtime_.now()};
  observed_->record = json::to_string(json::object_at(observed_->lease, {"spec"}));
  const std::lock_guard lock(mutex_);
  lead_until_ = asked + options_.renew_deadline;
  return true;
}

void LeaderElector::renew(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { lost_.request_stop(); });
  const std::stop_token ends = lost_.get_token();
  Instant asked = runtime_.now();
  while (runtime_.sleep_until(asked + options_.retry, ends) != runtime::Wake::kStopped) {
    asked = runtime_.now();
    const Instant until = lead_until();
    const Result<bool> got = try_renew(ends);
    if (ends.stop_requested()) return;
    report(got);
    if (got && *got) {
      // Too late: requests that the fence rejected in between are not resumed.
      if (runtime_.now() >= until || (on_renewed_ && !on_renewed_(lead_until()))) return lose("renewed too late");
    } else if (got) {
      return lose("another replica holds the lease");
    }
  }
}

// Separate from the renewal, which may block in a request.
void LeaderElector::watch_clock(const std::stop_token& stop) {
  while (true) {
    const Instant until = lead_until();
    if (runtime_.now() >= until) return lose("");
    if (runtime_.sleep_until(until, stop) == runtime::Wake::kStopped) return;
  }
}

// `why`: empty if the last problem of the renewal is the reason.
void LeaderElector::lose(const std::string& why) {
  if (!leading_.exchange(false)) return;
  if (!why.empty()) note_problem(why);
  if (on_lost_) on_lost_();
  lost_.request_stop();
}

void LeaderElector::release(const std::stop_token& stop) {
  renewing_.reset();
  clock_.reset();
  if (!leading_.exchange(false)) return;
  const ObjectName name{options_.ns, options_.name};
  const auto give_back = [&](json::value lease) -> Status {
    if (json::string_at(lease, {"spec", "holderIdentity"}) != options_.identity) return ok();
    json::ensure(lease, {"spec", "holderIdentity"}) = "";
    json::ensure(lease, {"spec", "leaseDurationSeconds"}) = 1;
    json::ensure(lease, {"spec", "renewTime"}) = format_rfc3339_micro(runtime_.now());
    TRY(client_.update(kLeases, name, lease, "", stop));
    return ok();
  };
  Status released = observed_->lease.is_null() ? Status(fail(Code::kConflict, "")) : give_back(observed_->lease);
  if (!released && released.error().code == Code::kConflict) {  // a response was lost, or another writer changed it
    const Result<json::value> lease = client_.get(kLeases, name, stop);
    released = lease ? give_back(*lease) : Status(fail(lease.error()));
  }
  if (!released) note_problem(released.error().message);
}

}  // namespace tenon::kube
