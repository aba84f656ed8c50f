// SPDX-License-Identifier: Apache-2.0
#include "controllers/learning/controller.h"

namespace tenon::controllers::learning {

Controller::Controller(Context& context, cloud::TypeReader& types)
    : context_(context),
      types_(types),
      loop_(context.runtime,
            {.name = "node.capacity", .workers = 1, .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  context_.cluster.nodes.on_change([this](const auto& change) {
    if (!change.after || change.after->provider_id.empty()) return;
    const bool news = !change.before || change.before->provider_id != change.after->provider_id ||
                      change.before->capacity != change.after->capacity;
    if (news) loop_.add(change.key);
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token&) {
  const auto node = context_.cluster.nodes.get(name);
  const auto claim = node ? context_.cluster.claim_with_provider_id(node->provider_id) : nullptr;
  if (!claim) return Next{};
  const auto node_class = context_.cluster.node_class_of(*claim);
  if (node_class) types_.learn(*claim, *node_class, node->capacity);
  return Next{};
}

}  // namespace tenon::controllers::learning
