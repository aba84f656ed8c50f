// Gathers pods that found no node, decides where they go, and creates the NodeClaims; see decide.h.
// parity: karpenter pkg/controllers/provisioning/provisioner.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "controllers/context.h"
#include "controllers/provisioning/decide.h"
#include "runtime/batcher.h"
#include "scheduling/solver.h"

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
  // False: others bought meanwhile, so that it has to be decided again. `turns`: of the cluster, before it was looked
  // at.
  Result<bool> provision(uint64_t turns, const std::stop_token& stop);
  // Nodes that were told to go by an interruption may be drained now that new places are bought for their pods.
  void release(const scheduling::Snapshot& snapshot);
  Result<bool> buy(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution, uint64_t turns,
                   const std::stop_token& stop);

  Context& context_;
  const Options options_;
  metrics::Gauge& ignored_pods_;
  runtime::Batcher batcher_;
  Instant last_loss_{};  // of a claim that got no node, told at once; the thread of the claims
  std::unique_ptr<runtime::Task> loop_, reminder_;
};

}  // namespace tenon::controllers::provisioning
