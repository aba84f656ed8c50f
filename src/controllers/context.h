// What every controller is given. References are borrowed from whoever wires the process (cli/).
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

// Test-only: bugs that a check must notice. All off in production; set by hidden flags of `tenon demo --check`.
struct PlantedFaults {
  bool ignore_budgets = false;
  bool skip_drain = false;
  bool forget_daemon_sets = false;
  bool omit_tags = false;
  bool ignore_limits = false;
  bool ignore_do_not_disrupt = false;  // of pods that are drained
  bool skip_collection = false;        // of instances that have no NodeClaim, and the other way round
  bool invert_prices = false;          // consolidation takes what is dear for cheap
  bool skip_waiting = false;           // nodes are given up before their replacements are there
  bool ignore_notices = false;         // what the interruption queue says is read, and that is all
  bool forget_mistakes = false;        // moves go wrong, and are made again
  bool forget_spreads = false;         // consolidation sees pods without topology spreads
};

struct Context {
  runtime::Runtime& runtime;
  state::Cluster& cluster;
  Applier& applier;
  cloud::Provider& provider;
  Metrics& metrics;
  RegistrationHealth& health;
  // One line for people about a decision and its reason ("bought m5.large …").
  std::function<void(const std::string& line)> decided;
  // One line about what went wrong and will be tried again.
  std::function<void(const std::string& controller, const std::string& key, const Error& error)> failed;
  PlantedFaults faults = {};
};

}  // namespace tenon::controllers
