// The metrics of disruption, by Karpenter's names. parity: karpenter pkg/controllers/disruption/metrics.go
// Thread rule: of the thread that runs the loop.
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
  // What a pass saw, and how long it took.
  void passed(const scheduling::Snapshot& now, const tenon::disruption::Options& options,
              const tenon::disruption::Pass& pass, Duration took);
  // A second look refused the move for what happened to its nodes.
  void refused(const tenon::disruption::Move& move);
  void started(const tenon::disruption::Move& move, const scheduling::Snapshot& now);
  void rolled_back(const tenon::disruption::Move& move);

 private:
  Metrics& metrics_;
  std::set<std::string> pools_;  // those that the gauges tell of
};

}  // namespace tenon::controllers::disruption
