// Leader election by a Lease: of several replicas one acts. A leader that has not renewed the lease in time stops to
// lead by its own clock, before another one may take over: the time counts from the start of the last request that
// renewed it, so a server that hangs or answers late cannot stretch it.
// parity: client-go tools/leaderelection, controller-runtime's defaults
//
//   LeaderElector elector(runtime, client, {.ns = "kube-system", .name = "leader", .identity = pod});
//   elector.on_renewed([&](Instant until) { return fence.extend(until); });
//   elector.on_lost([&] { … });
//   TRY(elector.acquire(stop));                    // blocks until we lead … work until on_lost is called …
//   elector.release(stop);                         // lets the next one in at once
//
// Thread rule: acquire() and release() from one thread; leading() and last_problem() from any. Two threads of its own
// renew the lease and watch the clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "kube/client.h"
#include "runtime/runtime.h"

namespace tenon::kube {

struct LeaderOptions {
  std::string ns = "kube-system";
  std::string name = "karpenter-leader-election";
  std::string identity;           // unique among the replicas
  Duration lease = 15s;           // others wait this long after the last renewal that they saw
  Duration renew_deadline = 10s;  // without a renewal for this long, we no longer lead
  Duration retry = 2s;
};

// The time-out of one request of the elector's client (ClientOptions::request_timeout), so that one request without
// an answer leaves time for another. parity: controller-runtime pkg/leaderelection
constexpr Duration lease_request_timeout(const LeaderOptions& options) { return options.renew_deadline / 2; }

class LeaderElector {
 public:
  // `client` should have a request time-out of lease_request_timeout(), and be the elector's alone.
  LeaderElector(runtime::Runtime& runtime, Client& client, LeaderOptions options);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Both before acquire(). on_renewed: after each renewal and the acquisition itself, with the time until which we lead
  // unless there is another one; false: it came too late, the lease is lost. on_lost: once, when the lease is lost.
  // From a thread of the elector.
  void on_renewed(std::function<bool(Instant until)> handler) { on_renewed_ = std::move(handler); }
  void on_lost(std::function<void()> handler) { on_lost_ = std::move(handler); }

  // Errors: kCancelled. Everything else is retried.
  Status acquire(const std::stop_token& stop);
  bool leading() const { return leading_.load(); }
  // Ends the renewal, and gives the lease back if it is ours; a failure is a last_problem(): the lease runs out then.
  void release(const std::stop_token& stop);
  std::string last_problem() const;

 private:
  struct Observed;
  Result<bool> try_acquire(const std::stop_token& stop);
  Result<bool> try_renew(const std::stop_token& stop);
  Result<bool> write(boost::json::value lease, const std::stop_token& stop);
  void renew(const std::stop_token& stop);
  void watch_clock(const std::stop_token& stop);
  void lose(const std::string& why);
  void note_problem(std::string problem);
  Instant lead_until() const;

  runtime::Runtime& runtime_;
  Client& client_;
  const LeaderOptions options_;
  std::function<bool(Instant)> on_renewed_;
  std::function<void()> on_lost_;
  std::atomic<bool> leading_ = false;
  std::stop_source lost_;  // ends a renewal in flight
  mutable std::mutex mutex_;
  std::string last_problem_;
  Instant lead_until_{};
  std::unique_ptr<Observed> observed_;  // of the thread that acquires, then renews, then releases
  std::unique_ptr<runtime::Task> renewing_, clock_;
};

}  // namespace tenon::kube
