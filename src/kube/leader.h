// Leader election by a Lease: of several replicas one acts. A leader that cannot renew in time steps down, before
// another may take over. parity: client-go tools/leaderelection, controller-runtime's defaults
//
//   LeaderElector elector(runtime, client, {.ns = "kube-system", .name = "karpenter-leader-election", .identity =
//   pod}); TRY(elector.acquire(stop));                    // blocks until we lead … work until on_lost is called …
//   elector.release();                             // lets the next one in at once
//
// Thread rule: acquire() and release() from one thread; leading() from any. Renewal runs on a thread of its own.
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
  Duration lease = 15s;           // others wait this long after the last renewal
  Duration renew_deadline = 10s;  // without a renewal for this long, we step down
  Duration retry = 2s;
};

class LeaderElector {
 public:
  LeaderElector(runtime::Runtime& runtime, Client& client, LeaderOptions options);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Errors: kCancelled. Everything else is retried.
  Status acquire(const std::stop_token& stop);
  bool leading() const { return leading_.load(); }
  // Called once, from the renewing thread, when the lease is lost. Before acquire().
  void on_lost(std::function<void()> handler) { on_lost_ = std::move(handler); }
  // Gives the lease back; the end of the renewing thread.
  void release();
  std::string last_problem() const;

 private:
  struct Observed;
  Result<bool> try_acquire(const std::stop_token& stop);
  void renew(const std::stop_token& stop);

  runtime::Runtime& runtime_;
  Client& client_;
  const LeaderOptions options_;
  std::function<void()> on_lost_;
  std::atomic<bool> leading_ = false;
  mutable std::mutex mutex_;
  std::string last_problem_;
  std::unique_ptr<Observed> observed_;
  std::unique_ptr<runtime::Task> renewing_;
};

}  // namespace tenon::kube
