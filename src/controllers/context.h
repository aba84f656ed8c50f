// The parts that every controller receives. References are borrowed from the code that wires the process (cli/).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cloud/provider.h"
#include "controllers/apply/applier.h"
#include "controllers/metrics.h"
#include "controllers/registration_health.h"
#include "state/cluster.h"

namespace tenon::controllers {

// Test-only: bugs that a check must detect. All off in production; set by hidden flags of `tenon demo --check`.
struct PlantedFaults {
  bool ignore_budgets = false;
  bool skip_drain = false;
  bool forget_daemon_sets = false;
  bool omit_tags = false;
  bool ignore_limits = false;
  bool ignore_do_not_disrupt = false;  // on pods that are drained
  bool skip_collection = false;        // of instances without a NodeClaim and of claims without an instance
  bool invert_prices = false;          // consolidation takes high prices for low ones
  bool skip_waiting = false;           // nodes are removed before their replacements are initialized
  bool ignore_notices = false;         // messages of the interruption queue are read but not handled
  bool forget_mistakes = false;        // moves that went wrong are repeated
  bool forget_spreads = false;         // consolidation uses pods without their topology spreads
};

struct Context {
  runtime::Runtime& runtime;
  state::Cluster& cluster;
  Applier& applier;
  cloud::Provider& provider;
  Metrics& metrics;
  RegistrationHealth& health;
  // One line for people about a decision and its reason ("launched m5.large …").
  std::function<void(const std::string& line)> decided;
  // One line about a failure that will be retried.
  std::function<void(const std::string& controller, const std::string& key, const Error& error)> failed;
  PlantedFaults faults = {};
};

}  // namespace tenon::controllers
