// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeclass/stamps.h"

#include "model/labels.h"

namespace tenon::controllers::nodeclass {

bool needs_stamp(const ClassHash& now, const model::NodeClaim& claim) {
  return claim.node_class_ref.key() == now.node_class && !claim.meta.deleting() && claim.is(model::kLaunched) &&
         model::lookup(claim.meta.annotations, model::kAnnotationNodeClassHashVersion) != now.version;
}

plan::Plan decide_stamp(const ClassHash& now, const model::NodeClaim& claim) {
  plan::Plan plan;
  model::NodeClaim after = claim;
  auto& annotations = after.meta.annotations;
  annotations[std::string(model::kAnnotationNodeClassHashVersion)] = now.version;
  if (!claim.is(model::kDrifted)) annotations[std::string(model::kAnnotationNodeClassHash)] = now.hash;
  plan.add_if_changed(claim, after);
  return plan;
}

}  // namespace tenon::controllers::nodeclass
