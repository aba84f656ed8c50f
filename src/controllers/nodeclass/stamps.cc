// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeclass/stamps.h"

#include "model/labels.h"

namespace tenon::controllers::nodeclass {

plan::Plan decide_stamps(const ClassHash& now, const std::vector<std::shared_ptr<const model::NodeClaim>>& claims) {
  plan::Plan plan;
  for (const auto& claim : claims) {
    if (claim->node_class_ref.key() != now.node_class || claim->meta.deleting()) continue;
    const bool current = model::lookup(claim->meta.annotations, model::kAnnotationNodeClassHashVersion) == now.version;
    if (current || !claim->is(model::kLaunched)) continue;
    model::NodeClaim after = *claim;
    auto& annotations = after.meta.annotations;
    annotations[std::string(model::kAnnotationNodeClassHashVersion)] = now.version;
    if (!claim->is(model::kDrifted)) annotations[std::string(model::kAnnotationNodeClassHash)] = now.hash;
    plan.begin_group();
    plan.add_if_changed(*claim, after);
  }
  return plan;
}

}  // namespace tenon::controllers::nodeclass
