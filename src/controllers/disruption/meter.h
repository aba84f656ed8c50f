// The metrics of disruption, by Karpenter's names. parity: karpenter pkg/controllers/disruption/metrics.go
// Thread rule: only the thread that runs the loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "controllers/metrics.h"
#include "disruption/disruption.h"

namespace tenon::controllers::disruption {

class Meter {
 public:
  explicit Meter(Metrics& metrics) : metrics_(metrics) {}
  // Records what a pass observed, and how long it took.
  void passed(const scheduling::Snapshot& now, const tenon::disruption::Options& options,
              const tenon::disruption::Pass& pass, Duration took);
  // Records that validation rejected the move because of a change of its nodes.
  void refused(const tenon::disruption::Move& move);
  void started(const tenon::disruption::Move& move, const scheduling::Snapshot& now);
  void rolled_back(const tenon::disruption::Move& move);

 private:
  Metrics& metrics_;
  std::set<std::string> pools_;  // pools with gauges
};

}  // namespace tenon::controllers::disruption
