// The metrics of disruption, by Karpenter's names. parity: karpenter pkg/controllers/disruption/metrics.go
// Thread rule: only the thread that runs the loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "controllers/metrics.h"
#include "disruption/disruption.h"
#include "runtime/runtime.h"

namespace tenon::controllers::disruption {

class Meter {
 public:
  Meter(Metrics& metrics, runtime::Runtime& runtime);
  // A pass begins; its options must have observer().
  void begin(const scheduling::Snapshot& now);
  const tenon::disruption::Observer* observer() const { return &observer_; }
  // The pass has ended. Records what it observed, and how long its parts took.
  void passed(const scheduling::Snapshot& now, const tenon::disruption::Options& options,
              const tenon::disruption::Pass& pass);
  // Records that validation rejected the move because of a change of its nodes.
  void refused(const tenon::disruption::Move& move);
  void started(const tenon::disruption::Move& move, const scheduling::Snapshot& now);
  void rolled_back(const tenon::disruption::Move& move);

 private:
  void lap(std::optional<tenon::disruption::Method> next);
  void weighed(const std::map<std::string, std::optional<double>>& pools, bool approved);

  Metrics& metrics_;
  runtime::Runtime& runtime_;
  const tenon::disruption::Observer observer_;
  const scheduling::Snapshot* now_ = nullptr;        // of the pass that runs
  std::optional<tenon::disruption::Method> method_;  // that it searches now
  Instant began_{}, lap_{};                          // of the pass and of that method
  std::set<std::string> pools_;                      // pools with gauges
};

}  // namespace tenon::controllers::disruption
