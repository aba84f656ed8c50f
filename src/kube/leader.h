// Leader election by a Lease: one of several replicas acts. A leader that has not renewed the lease in time stops
// leading by its own clock, before another replica may take over. The time counts from the start of the last successful
// renewal request, so that a slow server cannot extend it.
// parity: client-go tools/leaderelection, controller-runtime's defaults
//
//   LeaderElector elector(runtime, client, {.ns = "kube-system", .name = "leader", .identity = pod});
//   elector.on_renewed([&](Instant until) { return fence.extend(until); });
//   elector.on_lost([&] { … });
//   TRY(elector.acquire(stop));                    // blocks until it leads … work until on_lost is called …
//   elector.release(stop);                         // lets the next replica lead at once
//
// Thread rule: acquire() and release() from one thread; leading() and last_problem() from any. Two internal threads
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
  Duration lease = 15s;           // others wait this long after the last renewal that they observed
  Duration renew_deadline = 10s;  // without a renewal for this long, it no longer leads
  Duration retry = 2s;
};

// The timeout of one request of the elector's client (ClientOptions::request_timeout), so that one request without a
// response leaves time for another. parity: controller-runtime pkg/leaderelection
constexpr Duration lease_request_timeout(const LeaderOptions& options) { return options.renew_deadline / 2; }

class LeaderElector {
 public:
  // `client` should have a request timeout of lease_request_timeout() and serve only the elector.
  LeaderElector(runtime::Runtime& runtime, Client& client, LeaderOptions options);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Set these before acquire(). on_renewed: called after the acquisition and each renewal, with the time until which
  // this replica leads without another one; false: the renewal was too late, the lease is lost. on_lost: called once,
  // when the lease is lost. on_problem: called with the error of an attempt that failed, unless the attempt before it
  // failed with the same error. All are called from the thread of acquire() or from a thread of the elector.
  void on_renewed(std::function<bool(Instant until)> handler) { on_renewed_ = std::move(handler); }
  void on_lost(std::function<void()> handler) { on_lost_ = std::move(handler); }
  void on_problem(std::function<void(const std::string& problem)> handler) { on_problem_ = std::move(handler); }

  // Errors: kCancelled. All other errors are retried.
  Status acquire(const std::stop_token& stop);
  bool leading() const { return leading_.load(); }
  // Ends the renewal and releases the lease if this replica holds it. A failure goes to last_problem(); the lease then
  // expires.
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
  void report(const Result<bool>& attempt);
  Instant lead_until() const;

  runtime::Runtime& runtime_;
  Client& client_;
  const LeaderOptions options_;
  std::function<bool(Instant)> on_renewed_;
  std::function<void()> on_lost_;
  std::function<void(const std::string&)> on_problem_;
  std::atomic<bool> leading_ = false;
  std::stop_source lost_;  // cancels a renewal in progress
  mutable std::mutex mutex_;
  std::string last_problem_;
  std::string reported_;  // of the thread that acquires, then renews
  Instant lead_until_{};
  std::unique_ptr<Observed> observed_;  // of the thread that acquires, then renews, then releases
  std::unique_ptr<runtime::Task> renewing_, clock_;
};

}  // namespace tenon::kube
