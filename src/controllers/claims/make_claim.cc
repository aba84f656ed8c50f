// SPDX-License-Identifier: Apache-2.0
#include "controllers/claims/make_claim.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "model/adoption.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/node_class_label.h"
#include "model/structural_hash.h"
#include "plan/plan.h"

namespace tenon::controllers::claims {
namespace {

// Records the overlays, so that the launch uses the same prices and resources as the plan.
void note_overlays(const scheduling::PlannedNode& node, const scheduling::PoolView& view, model::NodeClaim& claim) {
  if (!view.types) return;
  const std::set<std::string_view> listed(node.instance_types.begin(), node.instance_types.end());
  for (const model::InstanceType& type : *view.types) {
    if (!listed.contains(type.name)) continue;
    if (type.price_overlaid) claim.meta.annotations[std::string(model::kAnnotationPriceOverlay)] = "true";
    if (type.capacity_overlaid) claim.meta.annotations[std::string(model::kAnnotationCapacityOverlay)] = "true";
  }
}

void add_spec(std::vector<model::RequirementSpec>& specs, std::string_view key, std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  std::erase_if(specs, [&](const auto& spec) { return spec.key == key && spec.op == model::Operator::kIn; });
  specs.push_back({std::string(key), model::Operator::kIn, std::move(values), std::nullopt});
}

}  // namespace

model::NodeClaim make_claim(const scheduling::PlannedNode& node, const scheduling::PoolView& view) {
  const model::NodePool& pool = *view.pool;
  model::NodeClaim claim;
  claim.meta.generate_name = std::string(model::object_name(pool.meta.name)) + "-";
  claim.meta.finalizers = {std::string(model::kFinalizerTermination)};  // lifecycle would add it before the launch
  claim.meta.labels = *node.labels;
  const auto [pool_key, pool_name] = model::pool_label(pool.meta.name);
  claim.meta.labels[std::string(pool_key)] = pool_name;
  const model::NodeClassRef& ref = pool.node_template.node_class_ref;
  model::add_node_class_label(ref, claim.meta.labels);
  claim.meta.annotations = pool.node_template.annotations;
  if (!pool.inline_provider.empty())
    claim.meta.annotations[std::string(model::kAnnotationProvider)] = pool.inline_provider;
  claim.meta.annotations[std::string(model::kAnnotationNodePoolHash)] = model::node_pool_hash(pool);
  claim.meta.annotations[std::string(model::kAnnotationNodePoolHashVersion)] = model::kNodePoolHashVersion;
  model::mark_launched_by_tenon(claim.meta);
  if (node.min_values_relaxed) claim.meta.annotations[std::string(model::kAnnotationMinValuesRelaxed)] = "true";
  note_overlays(node, view, claim);
  const plan::ObjectRef owner = plan::ref(pool);
  claim.meta.owners.push_back({.api_version = owner.api_version,
                               .kind = owner.kind,
                               .name = owner.name,
                               .uid = owner.uid,
                               .controller = false,
                               .block_owner_deletion = true});
  claim.node_class_ref = ref;
  claim.taints = node.taints;
  claim.startup_taints = node.startup_taints;
  claim.expire_after = pool.node_template.expire_after;
  claim.termination_grace_period = pool.node_template.termination_grace_period;
  claim.requests = node.requests;

  model::Requirements requirements = node.requirements;
  for (const std::string_view gone : {model::kLabelHostname, model::kLabelRegistered, model::kLabelInitialized}) {
    requirements.erase(gone);
  }
  const bool listed = !node.instance_types.empty();  // static pool: any type of the template is allowed
  if (listed) requirements.erase(model::kLabelInstanceType);
  claim.requirements = requirements.to_specs();
  for (const auto& [key, value] : pool.node_template.labels) add_spec(claim.requirements, key, {value});
  if (model::is_provisioner(pool.meta.name)) {
    // The CRD of NodeClaims refuses these keys; the labels hold them.
    std::erase_if(claim.requirements,
                  [&](const auto& spec) { return spec.key == pool_key || spec.key == model::node_class_label(ref); });
  } else {
    add_spec(claim.requirements, pool_key, {std::string(pool_name)});
    add_spec(claim.requirements, model::node_class_label(ref), {ref.name});
  }
  const auto asked = node.requirements.by_key().find(model::kLabelInstanceType);
  if (listed) {
    add_spec(claim.requirements, model::kLabelInstanceType, node.instance_types);
    if (asked != node.requirements.by_key().end()) claim.requirements.back().min_values = asked->second.min_values();
  }
  std::sort(claim.requirements.begin(), claim.requirements.end(),
            [](const auto& a, const auto& b) { return std::tie(a.key, a.op) < std::tie(b.key, b.op); });
  return claim;
}

}  // namespace tenon::controllers::claims
