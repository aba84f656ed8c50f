// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/controller.h"

#include <fmt/format.h>

#include "controllers/provisioning/decide.h"

namespace tenon::controllers::provisioning {
namespace {

constexpr Duration kRemind = 10s;          // pods that are still waiting trigger again
constexpr Duration kUnsyncedPoll = 250ms;  // a launch is open: nothing else is decided until it resolved

std::string describe(const scheduling::PlannedNode& node, const std::string& claim) {
  return fmt::format("nodeclaim/{}: {} {} in {} at ${}/h for {} pod{} of nodepool/{}; {} type{} can hold them", claim,
                     node.launch.capacity_type, node.launch.instance_type, node.launch.zone,
                     model::format_usd(node.launch.price), node.pods.size(), node.pods.size() == 1 ? "" : "s",
                     node.pool, node.instance_types.size(), node.instance_types.size() == 1 ? "" : "s");
}

}  // namespace

Controller::Controller(Context& context, Options options)
    : context_(context),
      options_(std::move(options)),
      batcher_(context.runtime, options_.batch_idle, options_.batch_max) {
  context_.cluster.pods.on_change([this](const auto& change) {
    if (change.after && change.after->provisionable()) batcher_.trigger(change.after->meta.uid);
  });
  context_.cluster.nodes.on_change([this](const auto& change) {
    // Pods of a node that goes need a place before it has gone.
    if (change.after && change.after->meta.deleting()) batcher_.trigger(change.after->meta.uid);
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
  while (context_.runtime.sleep_for(kRemind, stop) == runtime::Wake::kTimeout) {
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
    while (!context_.cluster.synced()) {
      if (context_.runtime.sleep_for(kUnsyncedPoll, stop) == runtime::Wake::kStopped) return;
    }
    if (const Status done = provision(stop); !done && done.error().code != Code::kCancelled) {
      context_.failed("provisioner", "", done.error());
    }
  }
}

Status Controller::provision(const std::stop_token& stop) {
  scheduling::Snapshot snapshot = context_.cluster.snapshot();
  if (context_.faults.forget_daemon_sets) snapshot.daemon_sets.clear();
  scheduling::SolveOptions solve = options_.solve;
  for (const auto& node : snapshot.nodes) {
    if (node.deleting()) solve.without_nodes.push_back(node.name());
  }
  if (snapshot.pending.empty() && solve.without_nodes.empty()) return ok();
  Metrics& metrics = context_.metrics;
  metrics.queue_depth.set({{"controller", "provisioner"}}, static_cast<double>(snapshot.pending.size()));
  const Instant begun = context_.runtime.now();
  const scheduling::Solution solution = scheduling::solve(snapshot, solve);
  metrics.scheduling_duration.observe({{"controller", "provisioner"}}, in_seconds(context_.runtime.now() - begun));
  metrics.queue_depth.set({{"controller", "provisioner"}}, 0);
  metrics.unschedulable_pods.set({{"controller", "provisioner"}}, static_cast<double>(solution.unschedulable.size()));
  return buy(snapshot, solution, stop);
}

Status Controller::buy(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution,
                       const std::stop_token& stop) {
  const Decision decision = decide(snapshot, solution);
  for (const Purchase& purchase : decision.purchases) {
    plan::Plan create;
    create.add(plan::CreateNodeClaim{purchase.claim});
    Outcome outcome = TRY(context_.applier.apply(create, stop));
    const std::string name = outcome.created.front().meta.name;
    context_.decided(describe(*purchase.planned, name));
    context_.cluster.expect(std::move(outcome.created.front()));
    context_.cluster.nominate(name);
    plan::Plan events;
    for (const auto& pod : purchase.pods) events.add(nominated_event(pod, name, ""));
    TRY(context_.applier.apply(events, stop));
  }
  for (const std::string& name : decision.nominated) context_.cluster.nominate(name);
  TRY(context_.applier.apply(decision.plan, stop));
  return ok();
}

}  // namespace tenon::controllers::provisioning
