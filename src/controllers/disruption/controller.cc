// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/controller.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "controllers/disruption/events.h"
#include "disruption/validation.h"
#include "log/scope.h"

namespace tenon::controllers::disruption {
namespace {

using tenon::disruption::Move;

constexpr Duration kPassInterval = 10s;  // between passes; parity: disruption loop
// A pass has two events for each node that stays: all of them at once would be larger than the cluster's nodes.
constexpr size_t kEventsAtOnce = 100;
constexpr Duration kIdleAtMost = 5min;  // without a change, until the next pass; parity: consolidation state

// Returns false for a change of what no codec reads: a heartbeat of a kubelet changes only the version of the Node that
// is kept. In a large cluster one arrives in every interval.
template <class Change>
bool is_decisive(const Change& change) {
  if (!change.before || !change.after) return true;
  auto before = *change.before;
  before.meta.resource_version = change.after->meta.resource_version;
  return before != *change.after;
}

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
    : context_(context),
      options_(std::move(options)),
      meter_(context.metrics, context.runtime),
      loop_meter_(context.runtime, context.metrics.loops, "disruption", 1) {
  const auto changed = [this](const auto& change) {
    if (is_decisive(change)) ++changes_;
  };
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
  if (context_.freeze) context_.freeze->on_change([this] { ++changes_; });
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
    const log::Scope scope({.controller = "disruption"});
    carry_on(stop);
    if (!context_.cluster.synced() || !context_.cluster.trusted()) continue;
    if (frozen().disruption) {
      report(rest(stop));
      continue;
    }
    report(validate_due(stop));
    if (context_.runtime.now() >= next_pass_) {
      next_pass_ = context_.runtime.now() + kPassInterval;
      LoopMeter::Run run(loop_meter_, Duration::zero());
      const Status passed = pass(stop);
      if (!passed) run.result(passed.error().code == Code::kConflict ? "requeue" : "error");
      report(passed);
    }
  }
}

state::Frozen Controller::frozen() const { return context_.freeze ? context_.freeze->frozen() : state::Frozen(); }

Status Controller::rest(const std::stop_token& stop) {
  waiting_.clear();
  if (context_.runtime.now() < next_pass_) return ok();
  next_pass_ = context_.runtime.now() + kPassInterval;
  const scheduling::Snapshot now = snapshot();
  tenon::disruption::Options options = options_now(now);
  TRY(clean_up(now, options, stop));
  return ok();
}

Result<bool> Controller::clean_up(const scheduling::Snapshot& now, tenon::disruption::Options& options,
                                  const std::stop_token& stop) {
  const auto nodes = left_over(now, options.in_progress);
  if (nodes.empty()) return false;
  auto cleaned = context_.applier.apply(decide_cleanup(now, nodes), stop);
  if (cleaned) return true;
  if (cleaned.error().code == Code::kCancelled) return fail(cleaned.error());
  report(fail(cleaned.error()));
  options.in_progress.insert(options.in_progress.end(), nodes.begin(), nodes.end());
  return false;
}

void Controller::report(const Status& status) const {
  const bool tell = !status && status.error().code != Code::kCancelled && status.error().code != Code::kConflict;
  if (tell) context_.log.failure("disruption", "", status.error());
}

scheduling::Snapshot Controller::snapshot() {
  seen_ = changes_.load();
  scheduling::BufferStates states;
  return context_.cluster.snapshot_with_buffers(states);
}

tenon::disruption::Options Controller::options_now(const scheduling::Snapshot& now) const {
  tenon::disruption::Options options = options_;
  for (const Command& command : commands_) {
    options.in_progress.insert(options.in_progress.end(), command.move.nodes.begin(), command.move.nodes.end());
  }
  for (const Waiting& waiting : waiting_) options.waiting.push_back(waiting.move);
  if (context_.applier.observes()) {
    const auto others = left_over(now, options.in_progress);
    options.in_progress.insert(options.in_progress.end(), others.begin(), others.end());
  }
  return options;
}

bool Controller::Rejected::is(const Move& move) const {
  return nodes == move.nodes && method == move.method && replacements == move.replacements.size();
}

void Controller::rest(const Move& move, Instant now) {
  std::erase_if(rejected_, [&](const Rejected& one) { return one.changes != seen_; });
  rejected_.push_back({move.nodes, move.method, move.replacements.size(), seen_, now + kIdleAtMost});
}

void Controller::reported(const std::vector<Move>& moves, Instant now) {
  for (const Move& move : moves) rest(move, now);
}

Status Controller::pass(const std::stop_token& stop) {
  if (idle_at_ == changes_.load() && context_.runtime.now() < idle_until_) return ok();
  const uint64_t turns = context_.ledger.turns();
  const scheduling::Snapshot now = snapshot();
  backoff_.detect_wrong_moves(now);
  tenon::disruption::Options options = options_now(now);
  // A command that starts on this snapshot would take a taint that is being removed for its own.
  if (TRY(clean_up(now, options, stop))) return ok();
  options.observer = meter_.observer();
  meter_.begin(now);
  const auto found = tenon::disruption::decide_disruption(now, options);
  meter_.passed(now, options, found);
  TRY(emit_events(now, found, stop));
  // A nomination or a running command ends by time, not by a change.
  const bool nominated =
      std::any_of(now.nodes.begin(), now.nodes.end(), [](const auto& node) { return node.nominated; });
  const bool nothing_to_do =
      std::all_of(found.moves.begin(), found.moves.end(), [&](const Move& move) { return rests(move, now); });
  if (nothing_to_do && !nominated && waiting_.empty() && commands_.empty()) {
    idle_at_ = seen_;
    idle_until_ = now.now + kIdleAtMost;
  }
  std::vector<Move> due;
  for (const Move& move : found.moves) {
    if (rests(move, now)) continue;
    if (needs_validation(move.method)) {
      waiting_.push_back({move, context_.runtime.now() + kValidationDelay});  // the search may have taken long
    } else {
      due.push_back(move);
    }
  }
  // If pods were placed meanwhile, this snapshot is stale.
  if (!due.empty() && !start(due, now, turns, stop)) next_pass_ = context_.runtime.now();
  return ok();
}

Status Controller::emit_events(const scheduling::Snapshot& now, const tenon::disruption::Pass& found,
                               const std::stop_token& stop) {
  plan::RecordEvents some;
  Status emitted = ok();
  const auto flush = [&] {
    if (some.events.empty()) return;
    plan::Plan plan;
    plan.add(std::exchange(some, {}));
    const auto done = context_.applier.apply(plan, stop);
    if (!done && emitted) emitted = fail(done.error());
  };
  pass_events(now, found, [&](plan::RecordEvent event) {
    some.events.push_back(std::move(event));
    if (some.events.size() == kEventsAtOnce) flush();
  });
  flush();
  return emitted;
}

bool Controller::rests(const Move& move, const scheduling::Snapshot& now) const {
  const bool rejected = std::any_of(rejected_.begin(), rejected_.end(), [&](const Rejected& one) {
    return one.is(move) && one.changes == changes_.load() && now.now < one.until;
  });
  return rejected || (options_.hindsight && backoff_.blocks(move, now));
}

Status Controller::validate_due(const std::stop_token& stop) {
  const Instant now = context_.runtime.now();
  const auto is_due = [&](const Waiting& waiting) { return waiting.due <= now; };
  for (;;) {
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), is_due);
    if (at == waiting_.end()) return ok();
    const Waiting waiting = std::move(*at);
    waiting_.erase(at);
    const uint64_t turns = context_.ledger.turns();
    const scheduling::Snapshot current = snapshot();
    const auto again = tenon::disruption::validate_move(current, options_now(current), waiting.move);
    if (again.move) {
      if (waits_for_launches(*again.move, current) || !start({*again.move}, current, turns, stop)) {
        waiting_.push_back(waiting);
        return ok();
      }
    }
    if (!again.message.empty()) {
      context_.log.info("kept after a second look: [" + join(waiting.move.nodes, ", ") + "]: " + again.message);
    }
    if (again.move) continue;
    if (again.reason == "scheduling") {
      rest(waiting.move, current.now);
    } else {  // parity: validation.go counts only changes of the nodes
      meter_.refused(waiting.move);
    }
    TRY(context_.applier.apply(rejected_events(current, waiting.move, again.reason), stop));
  }
}

bool Controller::start(const std::vector<Move>& moves, const scheduling::Snapshot& now, uint64_t turns,
                       const std::stop_token& stop) {
  plan::Plan plan;
  plan.turn = turns;
  std::vector<size_t> ends;
  for (const Move& move : moves) {
    plan.append(decide_start(now, move));
    ends.push_back(plan.actions.size());
  }
  Outcome outcome;
  Status done = context_.applier.apply(plan, outcome, stop);
  if (outcome.turn_lost) return false;
  if (context_.applier.observes()) {
    report(done);
    reported(moves, now.now);
    return true;
  }
  if (outcome.failures.empty()) report(done);
  for (const Outcome::Failure& one : outcome.failures)
    report(fail(one.error.in(plan::describe(plan.actions[one.action]))));
  for (size_t i = 0, first = 0; i < moves.size(); first = ends[i++])
    started(moves[i], plan, first, ends[i], outcome, now, stop);
  return true;
}

void Controller::started(const Move& move, const plan::Plan& plan, size_t first, size_t last, const Outcome& outcome,
                         const scheduling::Snapshot& now, const std::stop_token& stop) {
  Command command{move, {}, {}, now.now};
  command.move.nodes.clear();
  std::vector<model::NodeClaim> created;
  for (size_t i = first; i < last; ++i) {
    if (!outcome.performed.contains(i)) continue;
    if (const auto* mark = std::get_if<plan::MarkForDeletion>(&plan.actions[i])) {
      command.claims.push_back(mark->claim);
      command.move.nodes.push_back(mark->node);
    } else if (const auto claim = outcome.created.find(i); claim != outcome.created.end()) {
      command.replacements.push_back(claim->second.meta.name);
      created.push_back(claim->second);
    }
  }
  const bool alone = move.method == tenon::disruption::Method::kEmptiness;
  if (!alone && outcome.failed(first, last)) {
    const auto undone = context_.applier.apply(decide_undo(created, command.claims), stop);
    if (!undone) report(fail(undone.error()));
    return;
  }
  if (command.claims.empty()) return;
  context_.log.tell(disrupting_line(command, now));
  const auto told = context_.applier.apply(approved_events(now, command.move), stop);
  if (!told) report(fail(told.error()));
  meter_.started(command.move, now);
  for (const std::string& name : command.replacements) backoff_.record_replacement(name, now.now);
  commands_.push_back(std::move(command));
}

void Controller::carry_on(const std::stop_token& stop) {
  if (commands_.empty()) return;
  const state::Frozen freeze = frozen();
  if (freeze.unknown) return;  // neither deletes nodes nor gives their replacements up
  const scheduling::Snapshot now = context_.cluster.snapshot();  // with pods where they run now
  size_t queued = 0;
  for (const Command& command : commands_) queued += command.claims.size();
  for (size_t i = 0; i < commands_.size();) {
    const plan::Plan progress =
        freeze.disruption ? decide_frozen(now, commands_[i]) : decide_progress(now, commands_[i], queued);
    // Only once: in a retry, pods may have left the nodes that were deleted in the first attempt.
    const bool ends = !progress.again && !rolls_back(progress);
    if (ends && !std::exchange(commands_[i].ending, true)) backoff_.record_move(commands_[i], now);
    const auto applied = context_.applier.apply(progress, stop);
    if (!applied) report(fail(applied.error()));
    if (!applied || progress.again) {
      ++i;
      continue;
    }
    if (!ends) {
      meter_.rolled_back(commands_[i].move);
      context_.log.info(freeze.disruption ? "rolled back: voluntary disruption is frozen " + freeze.by + ": [" +
                                                join(commands_[i].move.nodes, ", ") + "]"
                                          : "rolled back: a replacement of " + commands_[i].move.nodes.front() +
                                                " did not become ready");
    }
    if (ends) context_.log.tell(succeeded_line(commands_[i]));
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace tenon::controllers::disruption
