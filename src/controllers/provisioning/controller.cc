// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/apply/create_claims.h"
#include "controllers/provisioning/batches.h"
#include "controllers/provisioning/decide.h"
#include "scheduling/solver.h"
#include "state/open_launches.h"

namespace tenon::controllers::provisioning {
namespace {

constexpr Duration kRemind = 10s;          // pods that still wait trigger again
constexpr Duration kBufferInterval = 30s;  // between decisions for buffers. parity: capacitybuffer
constexpr Duration kUnsyncedPoll = 250ms;  // another turn is held, or new claims are not in the cache yet

std::string counted(size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string describe(const scheduling::PlannedNode& node, const std::string& claim, const std::string& holds) {
  return fmt::format("nodeclaim/{}: {} {} in {} at ${}/h for {} of nodepool/{}; {} can hold them", claim,
                     node.launch.capacity_type, node.launch.instance_type, node.launch.zone,
                     model::format_usd(node.launch.price), holds, node.pool,
                     counted(node.instance_types.size(), "type"));
}

// "2 pods and room for 3 pods"
std::string what_it_holds(size_t pods, size_t room) {
  if (room == 0) return counted(pods, "pod");
  return (pods == 0 ? "" : counted(pods, "pod") + " and ") + "room for " + counted(room, "pod");
}

std::map<std::string, std::string> buffers_by_pod(const scheduling::Snapshot& snapshot) {
  std::map<std::string, std::string> buffers;
  for (const auto& pod : snapshot.pending) {
    if (!pod->spec->buffer.empty()) buffers[pod->key()] = pod->spec->buffer;
  }
  return buffers;
}

std::vector<plan::CreateNodeClaim> to_create(const std::vector<Purchase>& purchases) {
  std::vector<plan::CreateNodeClaim> claims;
  for (const Purchase& purchase : purchases) claims.push_back({purchase.claim});
  return claims;
}

}  // namespace

Controller::Controller(Context& context, Options options, metrics::Registry& registry)
    : context_(context),
      options_(std::move(options)),
      ignored_pods_(registry.gauge({"karpenter_scheduler_ignored_pods_count",
                                    "Pending pods that no node of a NodePool could help, after the last decision."})),
      batcher_(context.runtime, options_.batch_idle, options_.batch_max) {
  context_.cluster.pods.on_change([this](const auto& change) {
    if (change.after && change.after->provisionable()) batcher_.trigger(change.after->meta.uid);
  });
  context_.cluster.nodes.on_change([this](const auto& change) {
    // Pods of a node that is being deleted need another node before it is gone.
    if (change.after && change.after->meta.deleting()) batcher_.trigger(change.after->meta.uid);
  });
  context_.cluster.claims.on_change([this](const auto& change) {
    // A lost claim triggers for its pods at once, unless another claim was lost within kRemind.
    if (!change.after || !change.after->meta.deleting() || change.after->is(model::kRegistered)) return;
    if (const Instant now = context_.runtime.now(); now - last_loss_ >= kRemind) {
      last_loss_ = now;
      batcher_.trigger(change.after->meta.uid);
    }
  });
  // A write to a buffer's status is not a change.
  context_.cluster.capacity_buffers.on_change([this](const auto& change) {
    const bool same = change.before && change.after && change.before->meta.generation == change.after->meta.generation;
    if (change.after && !same) batcher_.trigger(change.after->meta.uid);
  });
}

void Controller::start() {
  loop_ = context_.runtime.spawn("provisioner", [this](const std::stop_token& stop) { run(stop); });
  reminder_ = context_.runtime.spawn("provisioner.trigger", [this](const std::stop_token& stop) { remind(stop); });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  if (reminder_) reminder_->request_stop();
  loop_.reset();
  reminder_.reset();
}

void Controller::remind(const std::stop_token& stop) {
  Instant buffers_at = context_.runtime.now() + kBufferInterval;
  while (context_.runtime.sleep_for(kRemind, stop) == runtime::Wake::kTimeout) {
    if (context_.runtime.now() >= buffers_at) {
      buffers_at += kBufferInterval;
      for (const auto& buffer : context_.cluster.capacity_buffers.list()) batcher_.trigger(buffer->meta.uid);
    }
    for (const auto& pod : context_.cluster.pods.list()) {
      if (pod->provisionable()) batcher_.trigger(pod->meta.uid);
    }
    for (const auto& node : context_.cluster.nodes.list()) {
      if (node->meta.deleting()) batcher_.trigger(node->meta.uid);
    }
  }
}

void Controller::run(const std::stop_token& stop) {
  while (batcher_.wait(stop)) {
    for (bool decided = false; !decided;) {
      const uint64_t turns = context_.cluster.turns();
      if (!context_.cluster.synced()) {
        if (context_.runtime.sleep_for(kUnsyncedPoll, stop) == runtime::Wake::kStopped) return;
        continue;
      }
      const Result<bool> done = provision(turns, stop);
      if (!done && done.error().code != Code::kCancelled) context_.failed("provisioner", "", done.error());
      decided = !done || *done;
    }
  }
}

Result<bool> Controller::provision(uint64_t turns, const std::stop_token& stop) {
  scheduling::BufferStates buffers;
  scheduling::Snapshot snapshot = context_.cluster.snapshot_with_buffers(buffers);
  if (context_.faults.forget_daemon_sets) snapshot.daemon_sets.clear();
  if (context_.faults.ignore_limits) {
    for (auto& view : snapshot.pools) {
      model::NodePool pool = *view.pool;
      pool.limits.reset();
      view.pool = std::make_shared<const model::NodePool>(std::move(pool));
    }
  }
  for (const std::string& node : context_.cluster.promised_room.keep(snapshot)) context_.cluster.nominate(node);
  scheduling::SolveOptions solve = options_.solve;
  for (const auto& node : snapshot.nodes) {
    if (node.deleting()) solve.without_nodes.push_back(node.name());
  }
  if (snapshot.pending.empty() && solve.without_nodes.empty() && buffers.empty()) return true;
  Metrics& metrics = context_.metrics;
  const auto buffer_of = buffers_by_pod(snapshot);
  metrics.queue_depth.set({{"controller", "provisioner"}},
                          static_cast<double>(snapshot.pending.size() - buffer_of.size()));
  const Instant begun = context_.runtime.now();
  scheduling::Solution solution;
  // parity: without pods nothing is scheduled, and no NodePool gets an event.
  if (scheduling::anything_to_place(snapshot, solve)) {
    solution = scheduling::solve(snapshot, solve);
    metrics.scheduling_duration.observe({{"controller", "provisioner"}}, in_seconds(context_.runtime.now() - begun));
  }
  metrics.queue_depth.set({{"controller", "provisioner"}}, 0);
  scheduling::Solution of_pods = solution;
  scheduling::take_out_buffers(buffer_of, of_pods, buffers);
  const size_t ignored = count_ignored(snapshot, of_pods);
  ignored_pods_.set({}, static_cast<double>(ignored));
  metrics.unschedulable_pods.set({{"controller", "provisioner"}},
                                 static_cast<double>(of_pods.unschedulable.size() - ignored));
  Result<bool> bought = buy(snapshot, solution, turns, stop);
  if (bought && !*bought) return false;
  release(snapshot);
  std::vector<model::CapacityBuffer> known;
  for (const auto& buffer : context_.cluster.capacity_buffers.list()) known.push_back(*buffer);
  const auto told = context_.applier.apply(decide_buffers(known, buffers, context_.runtime.now()), stop);
  TRY(std::move(bought));
  if (!told && told.error().code != Code::kConflict) return fail(told.error());  // the next pass resolves a conflict
  return true;
}

void Controller::release(const scheduling::Snapshot& snapshot) {
  std::vector<std::string> held;
  for (const auto& node : snapshot.nodes) {
    if (node.claim && node.deleting() && context_.cluster.drain_held(node.claim->meta.name)) {
      held.push_back(node.claim->meta.name);
    }
  }
  if (!held.empty()) context_.cluster.release_drains(held);
}

Result<bool> Controller::buy(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution, uint64_t turns,
                             const std::stop_token& stop) {
  Decision decision = decide(snapshot, solution);
  std::vector<model::NodeClaim*> claims;
  for (Purchase& purchase : decision.purchases) claims.push_back(&purchase.claim);
  mark_batches(claims, pass_id("p", context_.runtime.now()));
  for (Purchase& purchase : decision.purchases) {
    std::vector<std::string> pods;
    for (const auto& pod : purchase.pods) pods.push_back(pod.ns + "/" + pod.name);
    state::note_pods(pods, purchase.claim);
  }
  std::vector<Result<model::NodeClaim>> created;
  if (!decision.purchases.empty() || !decision.nominated.empty()) {
    const auto turn = context_.cluster.take_turn(turns);
    if (!turn) return false;
    created = create_claims(context_, to_create(decision.purchases), stop);
    for (const auto& claim : created) {
      if (claim) context_.cluster.nominate(claim->meta.name);
    }
    for (const std::string& name : decision.nominated) context_.cluster.nominate(name);
  }
  plan::Plan events;
  for (size_t i = 0; i < created.size(); ++i) {
    if (!created[i]) continue;
    const Purchase& purchase = decision.purchases[i];
    const std::string& name = created[i]->meta.name;
    const size_t pods = purchase.pods.size(), all = purchase.planned->pods.size();
    context_.decided(describe(*purchase.planned, name, what_it_holds(pods, all - pods)));
    for (const auto& pod : purchase.pods) events.add(nominated_event(pod, name, ""));
  }
  TRY(context_.applier.apply(events, stop));
  TRY(context_.applier.apply(decision.plan, stop));
  TRY(failures_in(created));
  return true;
}

}  // namespace tenon::controllers::provisioning
