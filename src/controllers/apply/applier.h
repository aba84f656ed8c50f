// The Applier is the executor of a process. It is the only writer to the API server, the cloud and the ledger:
//   - A plan that needs the turn (plan::Plan::turn) gets it first, or nothing is performed.
//   - A plan that would break an invariant of the ledger is rejected as a whole, with an event and a metric. That is a
//     bug of ours: simulations and tests abort.
//   - A group that a freeze or a cap holds back (launch_gate.h) is not performed, neither is a plan whose first actions
//     are. Events name the hold.
//   - Every patch carries the resource version that the decision used: a stale decision is rejected with kConflict and
//     made again, never merged. It is not sent if a write of this process has replaced the version (own_writes.h).
// Thread rule: that of the Executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cloud/writer.h"
#include "controllers/apply/executor.h"
#include "controllers/apply/launch_gate.h"
#include "controllers/apply/own_writes.h"
#include "kube/client.h"
#include "kube/events.h"
#include "log/log.h"
#include "plan/plan.h"
#include "state/ledger.h"

namespace tenon::controllers {

// Requests in flight for the NodeClaims of one plan. Karpenter limits them only by the rate of its client (200 per
// second).
inline constexpr size_t kCreatesInFlight = 16;

// Callbacks that report what was done; each may be empty.
struct ApplierCallbacks {
  std::function<void(const plan::Action&)> performed = {};              // for each action that was performed
  std::function<void(int status, const plan::EvictPod&)> evicted = {};  // for each eviction, with its HTTP status
  std::function<void(const state::Violation&)> rejected = {};           // a plan
  std::function<void(const state::Hold&)> held = {};                    // for each launch that was held back
};

class Applier final : public Executor {
 public:
  // Borrowed.
  struct Services {
    runtime::Runtime& runtime;
    kube::Client& client;
    kube::EventRecorder& events;
    cloud::Writer& cloud;
    state::Ledger& ledger;
    tenon::log::Logger log = {};
    LaunchGate* gate = nullptr;  // null: nothing is held back
  };
  struct Options {
    bool abort_on_violation = false;  // of the ledger's invariants; for tests
  };
  Applier(Services services, ApplierCallbacks callbacks, Options options)
      : services_(services), callbacks_(std::move(callbacks)), options_(options), own_writes_(services.runtime) {}

  using Executor::apply;
  Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) override;

 private:
  friend struct Perform;
  Status reject(const plan::Plan& plan, const state::Violation& violation);
  // hold_back.cc: returns the ranges of actions that are held back: the index behind the last one, by the first.
  std::map<size_t, size_t> hold_back(const plan::Plan& plan, Outcome& outcome);
  // Reports that the launch of the claim is held back, in events on the claim or its NodePool and on `pods`.
  void report(const state::Hold& hold, const model::NodeClaim& claim, const std::vector<plan::RecordEvent>& pods);
  // Performs the creates [first, last), each a group of its own. Returns the first action behind those performed.
  void create_together(const plan::Plan& plan, size_t first, size_t last, Outcome& outcome,
                       const std::stop_token& stop);

  const Services services_;
  const ApplierCallbacks callbacks_;
  const Options options_;
  OwnWrites own_writes_;
  std::mutex mutex_;
  std::map<std::string, Instant> logged_;  // when a line about a hold was written, by its cause
};

}  // namespace tenon::controllers
