// SPDX-License-Identifier: Apache-2.0
#include "controllers/lifecycle/controller.h"

#include <fmt/format.h>

#include "model/labels.h"

namespace tenon::controllers::lifecycle {
namespace {
constexpr int kWorkers = 16;  // launches in flight at once; each blocks on the cloud for about a second
}

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime,
            {.name = "nodeclaim.lifecycle",
             .workers = kWorkers,
             .base_delay = 1s,
             .max_delay = 1min,
             .on_error = context.failed},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  auto& cluster = context_.cluster;
  cluster.claims.on_change([this](const auto& change) { loop_.add(change.key); });
  cluster.nodes.on_change([this](const auto& change) {
    const auto& node = change.after ? change.after : change.before;
    if (const auto claim = context_.cluster.claim_with_provider_id(node->provider_id)) loop_.add(claim->meta.name);
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto claim = context_.cluster.claims.get(name);
  if (!claim) return Next{};
  View view{*claim, {}, context_.runtime.now()};
  if (!claim->provider_id.empty()) {
    for (const auto& node : context_.cluster.nodes_with_provider_id(claim->provider_id)) view.nodes.push_back(*node);
  }
  if (claim->meta.deleting()) return end(view, stop);
  const plan::Plan first = decide(view);
  if (!needs_launch(*claim)) return apply(first, stop);
  // Liveness may have given the claim up already; then nothing more is bought for it.
  for (const plan::Action& action : first.actions) {
    if (std::holds_alternative<plan::DeleteNodeClaim>(action)) return apply(first, stop);
  }
  return launch(view, stop);
}

// What the claim's pool believes of instance types, if that is not what the cloud says.
cloud::InstanceTypes Controller::overlaid_types(const model::NodeClaim& claim) const {
  const auto& annotations = claim.meta.annotations;
  if (!annotations.contains(model::kAnnotationPriceOverlay) && !annotations.contains(model::kAnnotationCapacityOverlay))
    return nullptr;
  std::map<std::string, std::string> refused;
  for (const auto& view : context_.cluster.pool_views(refused)) {
    if (view.pool->meta.name == claim.pool()) return view.types;
  }
  return nullptr;
}

Result<Next> Controller::launch(const View& view, const std::stop_token& stop) {
  const std::string& uid = view.claim.meta.uid;
  std::optional<cloud::Instance> instance;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = launched_.find(uid); it != launched_.end()) instance = it->second;
  }
  if (!instance) {
    const auto node_class = context_.cluster.node_classes.get(view.claim.node_class_ref.name);
    if (!node_class) {
      return apply(decide_launch_failed(view, {Code::kConflict, "node class not found", std::nullopt}), stop);
    }
    auto answer = context_.provider.create(view.claim, *node_class, overlaid_types(view.claim), stop);
    if (!answer) {
      if (answer.error().code == Code::kCancelled) return fail(answer.error());
      context_.failed("nodeclaim.lifecycle", view.claim.meta.name, answer.error());
      return apply(decide_launch_failed(view, answer.error()), stop);
    }
    instance = std::move(*answer);
    context_.decided(fmt::format("launched {} in {} ({}) for nodeclaim/{}", instance->instance_type, instance->zone,
                                 instance->capacity_type, view.claim.meta.name));
    const std::lock_guard lock(mutex_);
    launched_[uid] = *instance;
  }
  const Next next = TRY(apply(decide_launched(view, *instance), stop));
  const std::lock_guard lock(mutex_);
  launched_.erase(uid);
  return next;
}

Result<Next> Controller::end(const View& view, const std::stop_token& stop) {
  Ending ending = decide_ending(view, std::nullopt);
  if (ending.ask_cloud) {
    const Status asked = context_.provider.remove(view.claim.provider_id, stop);
    if (!asked && asked.error().code != Code::kNotFound) return fail(asked.error());
    ending = decide_ending(view, !asked);
  }
  return apply(ending.plan, stop);
}

Result<Next> Controller::apply(const plan::Plan& plan, const std::stop_token& stop) {
  TRY(context_.applier.apply(plan, stop));
  return Next{plan.again};
}

}  // namespace tenon::controllers::lifecycle
