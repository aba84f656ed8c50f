// Batches unschedulable pods, decides where they run, and creates the NodeClaims; see decide.h.
// parity: karpenter pkg/controllers/provisioning/provisioner.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "controllers/context.h"
#include "controllers/provisioning/decide.h"
#include "runtime/batcher.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::controllers::provisioning {

struct Options {
  Duration batch_idle = 1s;
  Duration batch_max = 10s;
  scheduling::SolveOptions solve;
};

class Controller {
 public:
  // Registers with the caches: before Cluster::start.
  Controller(Context& context, Options options, metrics::Registry& registry);
  void start();
  void stop();

 private:
  void run(const std::stop_token& stop);
  void remind(const std::stop_token& stop);
  // Returns false if another controller took a turn meanwhile: decide again. `turns`: turns() before the snapshot.
  Result<bool> provision(uint64_t turns, const std::stop_token& stop);
  // Lets the drains of interrupted nodes begin, because nodes for their pods are being launched.
  void release(const scheduling::Snapshot& snapshot);
  Result<bool> buy(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution, uint64_t turns,
                   const std::stop_token& stop);

  Context& context_;
  const Options options_;
  metrics::Gauge& ignored_pods_;
  runtime::Batcher batcher_;
  Instant last_loss_{};  // last trigger by a claim that got no node; only the thread of the claims
  std::unique_ptr<runtime::Task> loop_, reminder_;
};

}  // namespace tenon::controllers::provisioning
