// The Observer takes the place of the Applier in a process that runs beside another controller (`--observe`). It writes
// nothing to the cluster, to the cloud or to the ledger, so that no later decision counts on an earlier one. It reports
// the proposals of plans (plan::Proposal) as log lines and as events about its own lease, which is the object that
// events in its own namespace can be about.
//   - A proposal is reported once and again only if its words change, or if no pass has made it for kProposalForgotten.
//   - Events of plans are dropped: the controller beside writes those about pods, nodes and NodePools.
//   - The turn is taken as the Applier does, so that two decisions are not made on one snapshot.
// Thread rule: that of the Executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "controllers/apply/executor.h"
#include "kube/events.h"
#include "log/log.h"
#include "runtime/runtime.h"

namespace tenon::controllers {

inline constexpr Duration kProposalForgotten = 1h;
inline constexpr size_t kMaxProposals = 10000;  // remembered; above it, the one that was made longest ago is dropped

class Observer final : public Executor {
 public:
  // Borrowed, except the log.
  struct Services {
    runtime::Runtime& runtime;
    kube::EventRecorder& events;
    state::Ledger& ledger;
    tenon::log::Logger log = {};
  };
  // `ns` and `lease`: of the object that the events are about.
  Observer(Services services, std::string ns, std::string lease)
      : services_(std::move(services)), ns_(std::move(ns)), lease_(std::move(lease)) {}

  bool observes() const override { return true; }
  using Executor::apply;
  // Errors: kConflict: the turn was lost.
  Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) override;

 private:
  struct Seen {
    std::string message;
    Instant at{};  // when a plan last had it
  };
  // Returns the proposals that are new or have changed, and remembers all.
  std::vector<plan::Proposal> news(const std::vector<plan::Proposal>& proposals);
  void record(const std::vector<plan::Proposal>& proposals, const std::string& reason);

  const Services services_;
  const std::string ns_, lease_;
  std::mutex mutex_;
  std::map<std::string, Seen> seen_;  // by reason and key
};

}  // namespace tenon::controllers
