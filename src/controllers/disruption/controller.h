// Finds nodes that are no longer worth their price, and executes the moves: a pass, a validation after the validation
// delay, then the command (command.h) until its candidates are deleted. Validations and commands run alongside the
// passes. parity: karpenter pkg/controllers/disruption
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/disruption/consolidation_backoff.h"
#include "controllers/disruption/meter.h"
#include "controllers/loop_metrics.h"

namespace tenon::controllers::disruption {

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, tenon::disruption::Options options);  // registers with the caches
  void start() override;
  void stop() override;

 private:
  struct Waiting {
    tenon::disruption::Move move;
    Instant due;
  };
  void run(const std::stop_token& stop);
  Status pass(const std::stop_token& stop);
  // Replaces passes and validations while voluntary disruption is frozen. It drops the moves that wait, and removes
  // the taints that an earlier process left.
  Status rest(const std::stop_token& stop);
  state::Frozen frozen() const;
  // Removes the taints and conditions that no command holds. Returns true if it removed some: `now` is outdated. Nodes
  // where it failed are added to options.in_progress: the others do not wait for them.
  Result<bool> clean_up(const scheduling::Snapshot& now, tenon::disruption::Options& options,
                        const std::stop_token& stop);
  Status emit_events(const scheduling::Snapshot& now, const tenon::disruption::Pass& found,
                     const std::stop_token& stop);
  // True if the move was wrong lately, or has just been rejected.
  bool rests(const tenon::disruption::Move& move, const scheduling::Snapshot& now) const;
  Status validate_due(const std::stop_token& stop);
  // Starts the moves; a move that fails is taken back and does not affect the others. `turns`: Ledger::turns() from
  // before the snapshot. Returns false if another decision took a turn since: nothing was done.
  bool start(const std::vector<tenon::disruption::Move>& moves, const scheduling::Snapshot& now, uint64_t turns,
             const std::stop_token& stop);
  // An observer has reported the moves: they are not reported again while nothing changes.
  void reported(const std::vector<tenon::disruption::Move>& moves, Instant now);
  // This move does not start while nothing changes, up to kIdleAtMost.
  void rest(const tenon::disruption::Move& move, Instant now);
  // The actions [first, last) of the plan were the start of this move.
  void started(const tenon::disruption::Move& move, const plan::Plan& plan, size_t first, size_t last,
               const Outcome& outcome, const scheduling::Snapshot& now, const std::stop_token& stop);
  // Advances each command on its own: a command that fails is retried at the next tick.
  void carry_on(const std::stop_token& stop);
  void report(const Status& status) const;  // except conflicts and cancellation
  scheduling::Snapshot snapshot();
  // Returns the options with the commands in progress and the moves that wait. An observer adds the nodes that the
  // controller beside it disrupts.
  tenon::disruption::Options options_now(const scheduling::Snapshot& now) const;

  Context& context_;
  const tenon::disruption::Options options_;
  // Used only by the thread that runs the loop.
  std::vector<Waiting> waiting_;
  std::vector<Command> commands_;
  ConsolidationBackoff backoff_;
  Meter meter_;
  LoopMeter loop_meter_;
  Instant next_pass_{};
  // A pass without a move is not repeated while nothing changes, up to a limit (budgets and prices depend on time).
  std::atomic<uint64_t> changes_ = 0;
  uint64_t seen_ = 0;     // changes_ before the last snapshot, which contains them
  uint64_t idle_at_ = 0;  // changes_ when the last pass without a move began; initially 0
  Instant idle_until_{};
  struct Rejected {
    bool is(const tenon::disruption::Move& move) const;

    std::vector<std::string> nodes;
    tenon::disruption::Method method;
    size_t replacements;
    uint64_t changes;  // that the snapshot contained
    Instant until;
  };
  // A move that validation rejected is not started again while nothing changes: otherwise two moves that wait for each
  // other's capacity would alternate forever. Another move of its nodes may start: if their pods ended meanwhile, the
  // nodes are empty, and nothing else may change for a long time.
  std::vector<Rejected> rejected_;
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::disruption
