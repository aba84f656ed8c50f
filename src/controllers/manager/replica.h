// One replica of the controllers, from start to end: it warms up, waits for the lease, leads, and hands over.
//
//   http::Fence fence(runtime);                                        // around every transport of the manager's
//   Replica replica(runtime, {leases, fence, manager}, {.election = kube::LeaderOptions{.identity = pod}});
//   if (replica.run(stop) == Replica::End::kLostLease) …               // the process ends: its caches may be outdated
//
// A requested stop is clean: decisions end, launches in flight are awaited until they are recorded while the lease is
// renewed, then the lease is released. A lost lease is not clean: the fence closes before anything else, and launches
// in flight are left to the next leader, which repeats them with the same client tokens.
// Thread rule: run() once, from one thread; the rest from any. All arguments are borrowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "controllers/manager/manager.h"
#include "http/fence.h"
#include "kube/leader.h"
#include "log/log.h"

namespace tenon::controllers {

// The time that a clean stop grants to launches in flight. With the rest of a stop it is below the 30 s that Kubernetes
// grants a pod by default (terminationGracePeriodSeconds). A launch takes a few seconds; a slower one is left to the
// next leader.
inline constexpr Duration kLaunchGrace = 20s;

struct ReplicaOptions {
  std::optional<kube::LeaderOptions> election;  // std::nullopt: it leads at once
  Duration launch_grace = kLaunchGrace;
  tenon::log::Logger log = {};  // its progress
  // Called when the lease is lost and the fence closed, from a thread of the elector, even if run() hangs. May be
  // empty.
  std::function<void(const std::string& why)> lost = {};
};

class Replica {
 public:
  struct Parts {
    kube::Client& leases;  // not behind the fence, with kube::lease_request_timeout()
    http::Fence& fence;
    Manager& manager;
  };
  enum class End { kStopped, kLostLease };

  Replica(runtime::Runtime& runtime, Parts parts, ReplicaOptions options);
  ~Replica();

  // Returns once every controller has ended.
  End run(const std::stop_token& stop);
  // Ends run() as a crash would: nothing more is sent, the lease is not released. For simulation.
  void abandon();
  bool leading() const { return !elector_ || elector_->leading(); }

 private:
  End lead(const std::stop_token& stop);

  runtime::Runtime& runtime_;
  const Parts parts_;
  const ReplicaOptions options_;
  std::stop_source lost_;
  std::unique_ptr<kube::LeaderElector> elector_;  // null: no election. Last: its threads use the rest
};

}  // namespace tenon::controllers
