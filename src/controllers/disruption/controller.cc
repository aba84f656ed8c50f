// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/controller.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "controllers/disruption/events.h"
#include "controllers/disruption/planted.h"
#include "controllers/provisioning/decide.h"
#include "disruption/validation.h"
#include "state/open_launches.h"

namespace tenon::controllers::disruption {
namespace {

using tenon::disruption::Move;

constexpr Duration kTick = 1s;           // between checks of waiting moves and running commands, if any
constexpr Duration kPassInterval = 10s;  // between passes; parity: disruption loop
constexpr Duration kIdleAtMost = 5min;   // without a change, until the next pass; parity: consolidation state

// True if a replacement counts against its NodePool's limits while launches of that pool are open: these may leave more
// of the limits than their claims suggest.
bool waits_for_launches(const Move& move, const scheduling::Snapshot& now) {
  return std::any_of(move.replacements.begin(), move.replacements.end(), [&](const auto& planned) {
    const scheduling::PoolView* pool = now.pool(planned.pool);
    if (!pool || !pool->pool->limits) return false;
    return std::any_of(now.nodes.begin(), now.nodes.end(), [&](const auto& node) {
      return node.pool() == planned.pool && node.claim->provider_id.empty() && !node.claim->meta.deleting();
    });
  });
}

}  // namespace

Controller::Controller(Context& context, tenon::disruption::Options options)
    : context_(context), options_(std::move(options)), meter_(context.metrics) {
  const auto changed = [this](const auto&) { ++changes_; };
  auto& cluster = context_.cluster;
  cluster.pods.on_change(changed);
  cluster.nodes.on_change(changed);
  cluster.claims.on_change(changed);
  cluster.pools.on_change(changed);
  cluster.node_classes.on_change(changed);
  cluster.daemon_sets.on_change(changed);
  cluster.disruption_budgets.on_change(changed);
  cluster.node_overlays.on_change(changed);
  cluster.capacity_buffers.on_change(changed);
  cluster.pod_templates.on_change(changed);  // the pods of workloads are watched themselves
}

void Controller::start() {
  loop_ = context_.runtime.spawn("disruption", [this](const std::stop_token& stop) { run(stop); });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

void Controller::run(const std::stop_token& stop) {
  const auto nap = [&]() -> Duration {
    if (!waiting_.empty() || !commands_.empty()) return kTick;
    return std::max<Duration>(kTick, next_pass_ - context_.runtime.now());
  };
  while (context_.runtime.sleep_for(nap(), stop) == runtime::Wake::kTimeout) {
    carry_on(stop);
    if (!context_.cluster.synced() || !context_.cluster.trusted()) continue;
    report(validate_due(stop));
    if (context_.runtime.now() >= next_pass_) {
      next_pass_ = context_.runtime.now() + kPassInterval;
      report(pass(stop));
    }
  }
}

void Controller::report(const Status& status) const {
  const bool tell = !status && status.error().code != Code::kCancelled && status.error().code != Code::kConflict;
  if (tell) context_.failed("disruption", "", status.error());
}

scheduling::Snapshot Controller::snapshot() const {
  scheduling::BufferStates states;
  scheduling::Snapshot snapshot = context_.cluster.snapshot_with_buffers(states);
  plant(context_.faults, snapshot);
  return snapshot;
}

tenon::disruption::Options Controller::options_now() const {
  tenon::disruption::Options options = options_;
  for (const Command& command : commands_) {
    options.in_progress.insert(options.in_progress.end(), command.move.nodes.begin(), command.move.nodes.end());
  }
  for (const Waiting& waiting : waiting_) options.waiting.push_back(waiting.move);
  // With the forecast too few moves fail for a simulation to show that this planted fault repeats them.
  options.forecast = !context_.faults.forget_mistakes;
  return options;
}

Status Controller::pass(const std::stop_token& stop) {
  const uint64_t changes = changes_.load();
  if (idle_at_ == changes && context_.runtime.now() < idle_until_) return ok();
  const uint64_t turns = context_.cluster.turns();
  const scheduling::Snapshot now = snapshot();
  hindsight_.look(now);
  tenon::disruption::Options options = options_now();
  const Cleanup cleanup = decide_cleanup(now, options.in_progress);
  // A command that starts on this snapshot would take a taint that is being removed for its own.
  if (!cleanup.nodes.empty()) {
    auto cleaned = context_.applier.apply(cleanup.plan, stop);
    if (cleaned) return ok();
    if (cleaned.error().code == Code::kCancelled) return fail(cleaned.error());
    report(fail(cleaned.error()));
    // The other nodes do not wait for those whose cleanup failed.
    options.in_progress.insert(options.in_progress.end(), cleanup.nodes.begin(), cleanup.nodes.end());
  }
  const Instant begun = context_.runtime.now();
  const auto found = tenon::disruption::decide_disruption(now, options);
  meter_.passed(now, options, found, context_.runtime.now() - begun);
  TRY(context_.applier.apply(pass_events(now, found), stop));
  // A nomination or a running command ends by time, not by a change.
  const bool nominated =
      std::any_of(now.nodes.begin(), now.nodes.end(), [](const auto& node) { return node.nominated; });
  const bool nothing_to_do =
      std::all_of(found.moves.begin(), found.moves.end(), [&](const Move& move) { return rests(move, now); });
  if (nothing_to_do && !nominated && waiting_.empty() && commands_.empty()) {
    idle_at_ = changes;
    idle_until_ = now.now + kIdleAtMost;
  }
  std::optional<state::Turn> turn;
  for (const Move& move : found.moves) {
    if (rests(move, now)) continue;
    if (needs_second_look(move.method)) {
      waiting_.push_back({move, context_.runtime.now() + kValidationDelay});  // the search may have taken long
      continue;
    }
    if (!turn) turn = context_.cluster.take_turn(turns);
    if (!turn) {  // pods were placed meanwhile: this snapshot is stale
      next_pass_ = context_.runtime.now();
      return ok();
    }
    report(start(move, now, stop));  // the other moves do not depend on it
  }
  return ok();
}

bool Controller::rests(const Move& move, const scheduling::Snapshot& now) const {
  const bool rejected = std::any_of(rejected_.begin(), rejected_.end(), [&](const Rejected& one) {
    return one.nodes == move.nodes && one.changes == changes_.load() && now.now < one.until;
  });
  // Hindsight would hide from the simulations most moves of a controller that forgets spreads.
  const bool forgets = context_.faults.forget_mistakes || context_.faults.forget_spreads;
  return rejected || (!forgets && hindsight_.holds(move, now));
}

Status Controller::validate_due(const std::stop_token& stop) {
  const Instant now = context_.runtime.now();
  const auto is_due = [&](const Waiting& waiting) { return waiting.due <= now; };
  for (;;) {
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), is_due);
    if (at == waiting_.end()) return ok();
    const Waiting waiting = std::move(*at);
    waiting_.erase(at);
    const uint64_t turns = context_.cluster.turns();
    const scheduling::Snapshot current = snapshot();
    const auto again = tenon::disruption::look_again(current, options_now(), waiting.move);
    std::optional<state::Turn> turn;
    if (again.move) {
      if (!waits_for_launches(*again.move, current)) turn = context_.cluster.take_turn(turns);
      if (!turn) {
        waiting_.push_back(waiting);
        return ok();
      }
    }
    if (!again.message.empty()) {
      context_.decided("kept after a second look: [" + join(waiting.move.nodes, ", ") + "]: " + again.message);
    }
    if (again.move) {
      report(start(*again.move, current, stop));
      continue;
    }
    if (again.reason == "scheduling") {
      const uint64_t changes = changes_.load();
      std::erase_if(rejected_, [&](const Rejected& one) { return one.changes != changes; });
      rejected_.push_back({waiting.move.nodes, changes, current.now + kIdleAtMost});
    } else {  // parity: validation.go counts only changes of the nodes
      meter_.refused(waiting.move);
    }
    TRY(context_.applier.apply(rejected_events(current, waiting.move, again.reason), stop));
  }
}

Status Controller::mark(Move& move, const scheduling::Snapshot& now, const std::stop_token& stop) {
  const auto apply = [&](const Move& part) -> Status {
    const plan::Plan marking = TRY(decide_start(now, part));
    TRY(context_.applier.apply(marking, stop));
    return ok();
  };
  if (move.method != tenon::disruption::Method::kEmptiness) return apply(move);
  Status last = ok();
  std::vector<std::string> marked;
  for (const std::string& name : move.nodes) {
    Move alone = move;
    alone.nodes = {name};
    Status done = apply(alone);
    if (done) {
      marked.push_back(name);
    } else {
      report(done);
      last = std::move(done);
    }
  }
  move.nodes = std::move(marked);
  return move.nodes.empty() ? last : ok();
}

Status Controller::start(Move move, const scheduling::Snapshot& now, const std::stop_token& stop) {
  if (Status marked = mark(move, now, stop); !marked) return marked;
  Command command{move, {}, {}, now.now};
  for (const std::string& name : move.nodes) {
    const auto* view = now.node(name);
    if (view && view->claim) command.claims.push_back(view->claim->meta.name);
  }
  context_.decided(describe(command, now));
  TRY(context_.applier.apply(approved_events(now, move), stop));
  meter_.started(move, now);
  // Marks before the replacements exist, because their launch must fit in the limits. No other controller launches for
  // the same pods meanwhile: we hold the turn.
  context_.cluster.mark_for_deletion(command.claims);
  if (Status created = create_replacements(command, now, stop); !created) {
    context_.cluster.unmark_for_deletion(command.claims);
    return created;
  }
  for (const auto& [node, pods] : move.pods_to_existing) {
    context_.cluster.nominate(node);
    context_.cluster.promised_room.promise(node, pods);
  }
  commands_.push_back(std::move(command));
  return ok();
}

Status Controller::create_replacements(Command& command, const scheduling::Snapshot& now, const std::stop_token& stop) {
  plan::Plan undo;
  for (const auto& planned : command.move.replacements) {
    const scheduling::PoolView* pool = now.pool(planned.pool);
    plan::Plan create;
    if (pool) {
      model::NodeClaim claim = provisioning::make_claim(planned, *pool);
      state::note_pods(planned.pods, claim);
      create.add(plan::CreateNodeClaim{std::move(claim), to_lower(command.move.reason)});
    }
    auto created = pool ? context_.applier.apply(create, stop)
                        : Result<Outcome>(fail(Code::kConflict, "NodePool " + planned.pool + " has gone"));
    if (!created) {
      if (const auto undone = context_.applier.apply(undo, stop); !undone) report(fail(undone.error()));
      return fail(created.error());
    }
    Outcome& outcome = *created;
    undo.begin_group();
    undo.add(plan::DeleteNodeClaim{outcome.created.front(), ""});
    command.replacements.push_back(outcome.created.front().meta.name);
    hindsight_.ours(command.replacements.back(), now.now);
    context_.cluster.nominate(outcome.created.front().meta.name);
    context_.cluster.promised_room.promise(outcome.created.front().meta.name, planned.pods);
    context_.cluster.expect(std::move(outcome.created.front()));
  }
  return ok();
}

void Controller::carry_on(const std::stop_token& stop) {
  if (commands_.empty()) return;
  const scheduling::Snapshot now = context_.cluster.snapshot();  // with pods where they run now
  size_t queued = 0;
  for (const Command& command : commands_) queued += command.claims.size();
  for (size_t i = 0; i < commands_.size();) {
    if (context_.faults.skip_waiting) commands_[i].replacements.clear();
    const Progress progress = decide_progress(now, commands_[i], queued);
    // Only once: in a retry, pods may have left the nodes that were deleted in the first attempt.
    const bool ends = progress.state == Progress::State::kDone;
    if (ends && !std::exchange(commands_[i].ending, true)) hindsight_.done(commands_[i], now);
    const auto applied = context_.applier.apply(progress.plan, stop);
    if (!applied) report(fail(applied.error()));
    if (!applied || progress.state == Progress::State::kWaiting) {
      ++i;
      continue;
    }
    if (progress.state == Progress::State::kFailed) {
      context_.cluster.unmark_for_deletion(commands_[i].claims);
      meter_.rolled_back(commands_[i].move);
      context_.decided("rolled back: a replacement of " + commands_[i].move.nodes.front() + " did not become ready");
    }
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace tenon::controllers::disruption
