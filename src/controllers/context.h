// The parts that every controller receives. References are borrowed from the code that wires the process (cli/).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "controllers/apply/executor.h"
#include "controllers/metrics.h"
#include "controllers/registration_health.h"
#include "state/cluster.h"

namespace tenon::controllers {

struct Context {
  runtime::Runtime& runtime;
  state::Cluster& cluster;
  const state::Ledger& ledger;  // the executor makes its entries
  Executor& applier;
  Metrics& metrics;
  RegistrationHealth& health;
  // One line for people about a decision and its reason ("launched m5.large …").
  std::function<void(const std::string& line)> decided;
  // One line about a failure that will be retried.
  std::function<void(const std::string& controller, const std::string& key, const Error& error)> failed;
};

}  // namespace tenon::controllers
