// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_edit.h"

#include "cloud/aws_provider/node_class_hash.h"
#include "model/structural_hash.h"

namespace tenon::cli {
namespace {

const model::NodePool* find_pool(const PlanInput& input, std::string_view name) {
  for (const auto& view : input.snapshot.pools) {
    if (view.pool->meta.name == name) return view.pool.get();
  }
  return nullptr;
}

std::string drift_reason(const PlanInput& before, const PlanInput& after, const model::NodeClaim& claim) {
  const model::NodePool* old_pool = find_pool(before, claim.pool());
  const model::NodePool* pool = find_pool(after, claim.pool());
  if (!pool) return {};
  if (old_pool && model::node_pool_hash(*old_pool) != model::node_pool_hash(*pool)) return "NodePoolDrifted";
  const auto wanted = model::Requirements::make(pool->node_template.requirements);
  if (wanted && !model::Requirements::from_labels(claim.meta.labels).compatible(*wanted, false))
    return "RequirementsDrifted";
  const auto old_class = before.node_classes.find(claim.node_class_ref.name);
  const auto now_class = after.node_classes.find(claim.node_class_ref.name);
  if (old_class == before.node_classes.end() || now_class == after.node_classes.end()) return {};
  const bool same = cloud::node_class_hash(old_class->second, "") == cloud::node_class_hash(now_class->second, "");
  return same ? "" : "NodeClassDrift";
}

}  // namespace

std::vector<DriftedNode> mark_drifted(const PlanInput& before, PlanInput& after) {
  std::vector<DriftedNode> drifted;
  for (scheduling::NodeView& view : after.snapshot.nodes) {
    if (!view.claim || !view.claim->is(model::kLaunched)) continue;
    const std::string reason = drift_reason(before, after, *view.claim);
    if (reason.empty()) continue;
    drifted.push_back({view.name(), reason});
    auto claim = std::make_shared<model::NodeClaim>(*view.claim);
    model::set_condition(claim->conditions, {.type = std::string(model::kDrifted),
                                             .status = "True",
                                             .reason = reason,
                                             .message = reason,
                                             .last_transition = after.snapshot.now,
                                             .observed_generation = claim->meta.generation});
    view.claim = std::move(claim);
  }
  return drifted;
}

}  // namespace tenon::cli
