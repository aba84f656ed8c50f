// Batches unschedulable pods, decides where they run, and creates the NodeClaims; see decide.h.
// parity: karpenter pkg/controllers/provisioning/provisioner.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop_metrics.h"
#include "controllers/provisioning/decide.h"
#include "controllers/unfinished_work.h"
#include "runtime/batcher.h"
#include "runtime/token_bucket.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::controllers::provisioning {

inline constexpr Duration kRemind = 10s;  // pods that still wait trigger again

struct Options {
  Duration batch_idle = 1s;
  Duration batch_max = 10s;
  scheduling::SolveOptions solve;
};

class Controller final : public controllers::Controller {
 public:
  // Registers with the caches: before Cluster::start.
  Controller(Context& context, Options options, metrics::Registry& registry);
  void start() override;
  void stop() override;

 private:
  void run(const std::stop_token& stop);
  void remind(const std::stop_token& stop);
  // The objects that wait for a decision: key → uid. Changes keep it current, so that a reminder reads no other object.
  using Waiting = std::map<std::string, std::string>;
  // Triggers if `object` (null: there is none) waits, and remembers whether it does.
  void note(Waiting& waiting, const std::string& key, const model::ObjectMeta* object);
  // Decides again when what was held back may be tried again.
  void resume_at(Instant when);
  // Returns false if another controller took a turn meanwhile: decide again. `turns`: turns() before the snapshot.
  Result<bool> provision(uint64_t turns, const std::stop_token& stop);
  // solve(), with its metrics. `pods`: those that wait, without the virtual ones of buffers.
  scheduling::Solution solve_pods(const scheduling::Snapshot& snapshot, const scheduling::SolveOptions& options,
                                  size_t pods);
  // Records what was decided about the pods.
  void decided(const scheduling::Snapshot& snapshot, const scheduling::Solution& of_pods);

  Context& context_;
  const Options options_;
  metrics::Gauge &ignored_pods_, &by_zone_;
  const std::shared_ptr<UnfinishedWork> unfinished_;
  LoopMeter meter_;
  runtime::Batcher batcher_;
  std::mutex mutex_;                      // of the two below
  Waiting waiting_pods_, leaving_nodes_;  // provisionable pods; nodes that are being deleted
  runtime::TokenBucket losses_{kRemind};  // triggers by claims that got no node; only the thread of the claims
  std::unique_ptr<runtime::Task> loop_, reminder_;
  std::unique_ptr<runtime::Task> resume_;  // null: nothing is held back. Used by the thread of the loop
};

}  // namespace tenon::controllers::provisioning
