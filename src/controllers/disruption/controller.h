// Finds nodes that are no longer worth their price, and carries the moves out: a pass, a second look after the
// validation delay, then the command (command.h) until its candidates are deleted. Validation and commands run beside
// the passes. parity: karpenter pkg/controllers/disruption
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "controllers/context.h"
#include "controllers/disruption/hindsight.h"
#include "controllers/disruption/meter.h"

namespace tenon::controllers::disruption {

class Controller {
 public:
  Controller(Context& context, tenon::disruption::Options options);  // registers with the caches
  void start();
  void stop();

 private:
  struct Waiting {
    tenon::disruption::Move move;
    Instant due;
  };
  void run(const std::stop_token& stop);
  Status pass(const std::stop_token& stop);
  // It was wrong lately, or has just been rejected.
  bool rests(const tenon::disruption::Move& move, const scheduling::Snapshot& now) const;
  Status validate_due(const std::stop_token& stop);
  // Needs the cluster's turn.
  Status start(tenon::disruption::Move move, const scheduling::Snapshot& now, const std::stop_token& stop);
  // Taints the nodes of the move. Empty nodes do not depend on each other: one that cannot be tainted leaves the move.
  Status mark(tenon::disruption::Move& move, const scheduling::Snapshot& now, const std::stop_token& stop);
  // All of them, or an error and none is left.
  Status create_replacements(Command& command, const scheduling::Snapshot& now, const std::stop_token& stop);
  // Each command on its own: what fails for one is tried again at the next tick.
  void carry_on(const std::stop_token& stop);
  void report(const Status& status) const;  // nothing of conflicts and of the end of the process
  scheduling::Snapshot snapshot() const;
  tenon::disruption::Options options_now() const;  // with what has begun and what waits

  Context& context_;
  const tenon::disruption::Options options_;
  // Of the one thread that runs the loop.
  std::vector<Waiting> waiting_;
  std::vector<Command> commands_;
  Hindsight hindsight_;
  Meter meter_;
  Instant next_pass_{};
  // A pass that found nothing is not repeated while nothing has changed, up to a limit (budgets and prices know time).
  std::atomic<uint64_t> changes_ = 0;
  uint64_t idle_at_ = 0;  // changes_ as the last pass without a move began; 0: there was none
  Instant idle_until_{};
  struct Rejected {
    std::vector<std::string> nodes;
    uint64_t changes;  // as it was rejected
    Instant until;
  };
  // What a second look said no to is not found again and again while nothing has changed: two moves that wait for each
  // other's room would take turns for ever.
  std::vector<Rejected> rejected_;
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::disruption
