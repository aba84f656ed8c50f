// The parts that every controller receives. References are borrowed from the code that wires the process (cli/).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/apply/executor.h"
#include "controllers/metrics.h"
#include "controllers/registration_health.h"
#include "log/log.h"
#include "state/cluster.h"
#include "state/freeze_watch.h"

namespace tenon::controllers {

struct Context {
  runtime::Runtime& runtime;
  state::Cluster& cluster;
  const state::Ledger& ledger;  // the executor makes its entries
  Executor& applier;
  Metrics& metrics;
  RegistrationHealth& health;
  tenon::log::Logger log;  // decisions with their reasons ("launched m5.large …"), and failures that will be retried
  state::FreezeWatch* freeze = nullptr;  // null: there is none, nothing is frozen. The executor obeys it in any case
};

}  // namespace tenon::controllers
