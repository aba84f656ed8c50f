// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/controller.h"

#include <map>
#include <utility>

#include "controllers/provisioning/decide.h"
#include "controllers/provisioning/effective_zone.h"
#include "controllers/provisioning/log_lines.h"
#include "log/scope.h"
#include "scheduling/solver.h"

namespace tenon::controllers::provisioning {
namespace {

constexpr const char* kName = "provisioner";      // of the controller, in metrics too
constexpr const char* kResume = "held launches";  // the trigger after a hold; no uid
constexpr Duration kBufferInterval = 30s;         // between decisions for buffers. parity: capacitybuffer

std::map<std::string, std::string> buffers_by_pod(const scheduling::Snapshot& snapshot) {
  std::map<std::string, std::string> buffers;
  for (const auto& pod : snapshot.pending) {
    if (!pod->spec->buffer.empty()) buffers[pod->key()] = pod->spec->buffer;
  }
  return buffers;
}

// The first search for a label indexes the labels of all pods, which takes 0.3 s for 300,000 of them. Done early, no
// pod waits for it.
void index_labels(const std::vector<scheduling::NodeView>& nodes) {
  for (const auto& node : nodes) node.pods.maybe_with_label({});
}

}  // namespace

Controller::Controller(Context& context, Options options, metrics::Registry& registry)
    : context_(context),
      options_(std::move(options)),
      ignored_pods_(registry.gauge({"karpenter_scheduler_ignored_pods_count",
                                    "Pending pods that no node of a NodePool could help, after the last decision."})),
      by_zone_(registry.gauge({"karpenter_scheduler_pending_pods_by_effective_zone_count",
                               "Pods of the last decision by the zone that they can run in: flexible for several, "
                               "none for no zone.",
                               {"controller", "zone"}})),
      unfinished_(std::make_shared<UnfinishedWork>(context.runtime, registry)),
      meter_(context.runtime, context.metrics.loops, kName, 1),
      batcher_(context.runtime, options_.batch_idle, options_.batch_max) {
  registry.add(unfinished_);
  context_.cluster.pods.on_change([this](const auto& change) {
    note(waiting_pods_, change.key, change.after && change.after->provisionable() ? &change.after->meta : nullptr);
  });
  context_.cluster.nodes.on_change([this](const auto& change) {
    // Pods of a node that is being deleted need another node before it is gone.
    note(leaving_nodes_, change.key, change.after && change.after->meta.deleting() ? &change.after->meta : nullptr);
  });
  context_.cluster.claims.on_change([this](const auto& change) {
    // A lost claim triggers for its pods at once, unless another claim was lost within kRemind.
    if (!change.after || !change.after->meta.deleting() || change.after->is(model::kRegistered)) return;
    if (losses_.try_take(context_.runtime.now())) batcher_.trigger(change.after->meta.uid);
  });
  if (context_.freeze) context_.freeze->on_change([this] { batcher_.trigger(kResume); });
  // A write to a buffer's status is not a change.
  context_.cluster.capacity_buffers.on_change([this](const auto& change) {
    const bool same = change.before && change.after && change.before->meta.generation == change.after->meta.generation;
    if (change.after && !same) batcher_.trigger(change.after->meta.uid);
  });
}

void Controller::start() {
  loop_ = context_.runtime.spawn(kName, [this](const std::stop_token& stop) { run(stop); });
  reminder_ = context_.runtime.spawn("provisioner.trigger", [this](const std::stop_token& stop) { remind(stop); });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  if (reminder_) reminder_->request_stop();
  loop_.reset();
  reminder_.reset();
  resume_.reset();
}

void Controller::note(Waiting& waiting, const std::string& key, const model::ObjectMeta* object) {
  const std::lock_guard lock(mutex_);
  if (!object) {
    waiting.erase(key);
    return;
  }
  std::string& uid = waiting[key];
  if (uid == object->uid) return batcher_.remind(uid);  // as kube-scheduler rejects it again
  uid = object->uid;
  batcher_.trigger(uid);
}

void Controller::resume_at(Instant when) {
  resume_ = context_.runtime.spawn("provisioner.resume", [this, when](const std::stop_token& stop) {
    if (context_.runtime.sleep_until(when, stop) == runtime::Wake::kTimeout) batcher_.trigger(kResume);
  });
}

void Controller::remind(const std::stop_token& stop) {
  Instant buffers_at = context_.runtime.now() + kBufferInterval;
  bool indexed = false;
  while (context_.runtime.sleep_for(kRemind, stop) == runtime::Wake::kTimeout) {
    // Two indexes are made here, beside decisions, so that no decision waits for them.
    if (context_.cluster.synced()) {
      if (!indexed) index_labels(context_.cluster.node_views());
      indexed = true;
      context_.cluster.index_types();
    }
    if (context_.runtime.now() >= buffers_at) {
      buffers_at += kBufferInterval;
      for (const auto& buffer : context_.cluster.capacity_buffers.list()) batcher_.remind(buffer->meta.uid);
    }
    const std::lock_guard lock(mutex_);
    for (const Waiting* waiting : {&waiting_pods_, &leaving_nodes_}) {
      for (const auto& [key, uid] : *waiting) batcher_.remind(uid);
    }
  }
}

void Controller::run(const std::stop_token& stop) {
  while (batcher_.wait(stop)) {
    for (bool decided = false; !decided;) {
      const uint64_t turns = context_.ledger.turns();
      if (!context_.cluster.synced()) {
        if (!context_.cluster.await_synced(stop)) return;
        continue;
      }
      const log::Scope scope({.controller = kName});
      LoopMeter::Run run(meter_, Duration::zero());
      const Result<bool> done = provision(turns, stop);
      if (done && !*done) run.result("requeue");
      if (!done && done.error().code != Code::kCancelled) {
        run.result("error");
        context_.log.failure(kName, "", done.error());
      }
      decided = !done || *done;
    }
  }
}

scheduling::Solution Controller::solve_pods(const scheduling::Snapshot& snapshot,
                                            const scheduling::SolveOptions& options, size_t pods) {
  Metrics& metrics = context_.metrics;
  const std::string id = unfinished_->begin(kName);
  metrics::Labels labels{{"controller", kName}, {"scheduling_id", id}};
  metrics.queue_depth.set(labels, static_cast<double>(pods));
  const Instant begun = context_.runtime.now();
  scheduling::Solution solution;
  // parity: without pods nothing is scheduled, and no NodePool gets an event.
  if (scheduling::anything_to_place(snapshot, options)) {
    solution = scheduling::solve(snapshot, options);
    metrics.scheduling_duration.observe({{"controller", kName}}, in_seconds(context_.runtime.now() - begun));
  }
  unfinished_->end(id);
  metrics.queue_depth.remove(labels);
  metrics.queue_depth.set({{"controller", kName}}, 0);
  return solution;
}

void Controller::decided(const scheduling::Snapshot& snapshot, const scheduling::Solution& of_pods) {
  Metrics& metrics = context_.metrics;
  const Instant now = context_.runtime.now();
  const size_t ignored = count_ignored(snapshot, of_pods);
  ignored_pods_.set({}, static_cast<double>(ignored));
  metrics.unschedulable_pods.set({{"controller", kName}}, static_cast<double>(of_pods.unschedulable.size() - ignored));
  const EffectiveZones zones(snapshot);
  std::map<std::string, double> by_zone;
  for (const auto& pod : snapshot.pending) {
    if (!pod->spec->buffer.empty()) continue;
    const std::string key = pod->key();
    ++by_zone[zones.of(*pod)];
    metrics.pod_times.decided(key, !of_pods.unschedulable.contains(key), now);
  }
  by_zone_.remove_matching({});
  for (const auto& [zone, pods] : by_zone) by_zone_.set({{"controller", kName}, {"zone", zone}}, pods);
}

Result<bool> Controller::provision(uint64_t turns, const std::stop_token& stop) {
  scheduling::BufferStates buffers;
  scheduling::Snapshot snapshot = context_.cluster.snapshot_with_buffers(buffers);
  const LedgerView ledger{turns, context_.ledger.keep_promises(snapshot), context_.ledger.held_drains()};
  scheduling::SolveOptions solve = options_.solve;
  for (const auto& node : snapshot.nodes) {
    if (node.deleting()) solve.removed_nodes.push_back(node.name());
  }
  if (snapshot.pending.empty() && solve.removed_nodes.empty() && buffers.empty()) return true;
  const auto buffer_of = buffers_by_pod(snapshot);
  const Instant begun = context_.runtime.now();
  context_.log.tell(computing_line(snapshot));
  scheduling::Solution solution = solve_pods(snapshot, solve, snapshot.pending.size() - buffer_of.size());
  scheduling::Solution of_pods = solution;
  scheduling::take_out_buffers(buffer_of, of_pods, buffers);
  decided(snapshot, of_pods);
  if (!context_.applier.observes()) {
    for (log::Entry& line : decision_lines(snapshot, solution, context_.runtime.now() - begun))
      context_.log.tell(std::move(line));
  }
  Outcome outcome;
  Status launched = context_.applier.apply(decide(snapshot, solution, ledger), outcome, stop);
  if (outcome.turn_lost) return false;
  outcome.turn.reset();
  if (const auto retry_at = outcome.retry_at()) resume_at(*retry_at);
  std::vector<model::CapacityBuffer> known;
  for (const auto& buffer : context_.cluster.capacity_buffers.list()) known.push_back(*buffer);
  const auto told = context_.applier.apply(decide_buffers(known, buffers, context_.runtime.now()), stop);
  TRY(std::move(launched));
  if (!told && told.error().code != Code::kConflict) return fail(told.error());  // the next pass resolves a conflict
  return true;
}

}  // namespace tenon::controllers::provisioning
