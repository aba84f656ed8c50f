// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_edit.h"

#include "cloud/aws_provider/node_class/node_class_hash.h"
#include "model/structural_hash.h"

namespace tenon::cli {
namespace {

using model::NodeClass;
using model::NodePool;
using model::NodeTemplate;

struct Drift {
  std::string reason, field;
};

const NodePool* find_pool(const PlanInput& input, std::string_view name) {
  for (const auto& view : input.snapshot.pools) {
    if (view.pool->meta.name == name) return view.pool.get();
  }
  return nullptr;
}

// Returns the first changed field of the template, in the usual order of fields.
std::string changed_field(const NodeTemplate& before, const NodeTemplate& after) {
  if (before.labels != after.labels) return "spec.template.metadata.labels";
  if (before.annotations != after.annotations) return "spec.template.metadata.annotations";
  if (before.node_class_ref != after.node_class_ref) return "spec.template.spec.nodeClassRef";
  if (before.taints != after.taints) return "spec.template.spec.taints";
  if (before.startup_taints != after.startup_taints) return "spec.template.spec.startupTaints";
  if (before.expire_after != after.expire_after) return "spec.template.spec.expireAfter";
  if (before.termination_grace_period != after.termination_grace_period)
    return "spec.template.spec.terminationGracePeriod";
  return "";
}

std::string requirement_not_met(const NodePool& pool, const model::StringMap& labels) {
  for (size_t i = 0; i < pool.node_template.requirements.size(); ++i) {
    const model::RequirementSpec& spec = pool.node_template.requirements[i];
    const auto one = model::Requirements::make({spec});
    if (one && !model::Requirements::from_labels(labels).compatible(*one, false))
      return "spec.template.spec.requirements[" + std::to_string(i) + "] (" + spec.key + ")";
  }
  return "";
}

std::string changed_field(const NodeClass& before, const NodeClass& after) {
  if (before.ami_family != after.ami_family) return "spec.amiFamily";
  if (before.user_data != after.user_data) return "spec.userData";
  if (before.role != after.role) return "spec.role";
  if (before.instance_profile != after.instance_profile) return "spec.instanceProfile";
  if (before.context != after.context) return "spec.context";
  if (before.instance_store_policy != after.instance_store_policy) return "spec.instanceStorePolicy";
  if (before.associate_public_ip != after.associate_public_ip) return "spec.associatePublicIPAddress";
  if (before.detailed_monitoring != after.detailed_monitoring) return "spec.detailedMonitoring";
  if (before.tags != after.tags) return "spec.tags";
  if (before.block_devices != after.block_devices) return "spec.blockDeviceMappings";
  if (before.kubelet != after.kubelet) return "spec.kubelet";
  if (before.metadata_options != after.metadata_options) return "spec.metadataOptions";
  return "";
}

Drift drift_of(const PlanInput& before, const PlanInput& after, const model::NodeClaim& claim) {
  const NodePool* old_pool = find_pool(before, claim.pool());
  const NodePool* pool = find_pool(after, claim.pool());
  if (!pool) return {};
  if (old_pool && model::node_pool_hash(*old_pool) != model::node_pool_hash(*pool))
    return {"NodePoolDrifted", changed_field(old_pool->node_template, pool->node_template)};
  if (std::string field = requirement_not_met(*pool, claim.meta.labels); !field.empty())
    return {"RequirementsDrifted", field};
  const auto old_class = before.node_classes.find(claim.node_class_ref.key());
  const auto now_class = after.node_classes.find(claim.node_class_ref.key());
  if (old_class == before.node_classes.end() || now_class == after.node_classes.end()) return {};
  if (cloud::node_class_hash(old_class->second, "") != cloud::node_class_hash(now_class->second, ""))
    return {"NodeClassDrift", changed_field(old_class->second, now_class->second)};
  // Other terms mostly select other images; only EC2 could tell for certain.
  if (old_class->second.ami_selector_terms != now_class->second.ami_selector_terms)
    return {"AMIDrift", "spec.amiSelectorTerms"};
  return {};
}

}  // namespace

std::vector<DriftedNode> mark_drifted(const PlanInput& before, PlanInput& after) {
  std::vector<DriftedNode> drifted;
  for (scheduling::NodeView& view : after.snapshot.nodes) {
    if (!view.claim || !view.claim->is(model::kLaunched)) continue;
    const Drift drift = drift_of(before, after, *view.claim);
    if (drift.reason.empty()) continue;
    drifted.push_back({view.name(), drift.reason, drift.field});
    auto claim = std::make_shared<model::NodeClaim>(*view.claim);
    model::set_condition(claim->conditions, {.type = std::string(model::kDrifted),
                                             .status = "True",
                                             .reason = drift.reason,
                                             .message = drift.reason,
                                             .last_transition = after.snapshot.now,
                                             .observed_generation = claim->meta.generation});
    view.claim = std::move(claim);
  }
  return drifted;
}

}  // namespace tenon::cli
