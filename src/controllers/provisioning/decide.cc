// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/decide.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/labels.h"
#include "model/structural_hash.h"
#include "scheduling/compile/problem.h"
#include "scheduling/input/pod_check.h"
#include "scheduling/input/solution.h"

namespace tenon::controllers::provisioning {
namespace {

// Returns every pod that the solution may name: pending pods, and pods of nodes that are being deleted. Pods of buffers
// are left out, because they do not exist and get no events.
std::map<std::string, const model::Pod*> pods_by_key(const scheduling::Snapshot& snapshot) {
  std::map<std::string, const model::Pod*> by_key;
  for (const auto& node : snapshot.nodes) {
    for (const auto& pod : node.pods) by_key[pod->key()] = pod.get();
  }
  for (const auto& pod : snapshot.pending) {
    if (pod->spec->buffer.empty()) by_key[pod->key()] = pod.get();
  }
  return by_key;
}

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
  claim.meta.generate_name = pool.meta.name + "-";
  claim.meta.finalizers = {std::string(model::kFinalizerTermination)};  // lifecycle would add it before the launch
  claim.meta.labels = *node.labels;
  claim.meta.labels[std::string(model::kLabelNodePool)] = pool.meta.name;
  const model::NodeClassRef& ref = pool.node_template.node_class_ref;
  claim.meta.labels[std::string(model::kLabelNodeClass)] = ref.name;
  claim.meta.annotations = pool.node_template.annotations;
  claim.meta.annotations[std::string(model::kAnnotationNodePoolHash)] = model::node_pool_hash(pool);
  claim.meta.annotations[std::string(model::kAnnotationNodePoolHashVersion)] = model::kNodePoolHashVersion;
  if (node.min_values_relaxed) claim.meta.annotations[std::string(model::kAnnotationMinValuesRelaxed)] = "true";
  note_overlays(node, view, claim);
  claim.meta.owners.push_back({.api_version = "karpenter.sh/v1",
                               .kind = "NodePool",
                               .name = pool.meta.name,
                               .uid = pool.meta.uid,
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
  add_spec(claim.requirements, model::kLabelNodePool, {pool.meta.name});
  add_spec(claim.requirements, model::kLabelNodeClass, {ref.name});
  const auto asked = node.requirements.by_key().find(model::kLabelInstanceType);
  if (listed) {
    add_spec(claim.requirements, model::kLabelInstanceType, node.instance_types);
    if (asked != node.requirements.by_key().end()) claim.requirements.back().min_values = asked->second.min_values();
  }
  std::sort(claim.requirements.begin(), claim.requirements.end(),
            [](const auto& a, const auto& b) { return std::tie(a.key, a.op) < std::tie(b.key, b.op); });
  return claim;
}

plan::RecordEvent nominated_event(const model::ObjectMeta& pod, const std::string& claim, const std::string& node) {
  std::string where;
  if (!claim.empty()) where = "nodeclaim/" + claim;
  if (!node.empty()) where += (where.empty() ? "node/" : ", node/") + node;
  return {plan::pod_ref(pod), "Normal", "Nominated", "Pod should schedule on: " + where};
}

Decision decide(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution) {
  Decision decision;
  const auto pods = pods_by_key(snapshot);
  for (const auto& node : solution.new_nodes) {
    const scheduling::PoolView* view = snapshot.pool(node.pool);
    if (!view) continue;
    Purchase purchase{&node, make_claim(node, *view), {}};
    for (const std::string& key : node.pods) {
      if (const auto at = pods.find(key); at != pods.end()) purchase.pods.push_back(at->second->meta);
    }
    decision.purchases.push_back(std::move(purchase));
  }
  for (const auto& [name, keys] : solution.existing) {
    if (std::none_of(keys.begin(), keys.end(), [&](const std::string& key) { return pods.contains(key); })) continue;
    decision.nominated.push_back(name);
    const scheduling::NodeView* view = snapshot.node(name);
    if (!view) continue;
    const std::string claim = view->claim ? view->claim->meta.name : "";
    const std::string node = view->node ? view->node->meta.name : "";
    for (const std::string& key : keys) {
      const auto pod = pods.find(key);
      if (pod == pods.end() || !pod->second->node_name.empty()) continue;
      decision.plan.add(nominated_event(pod->second->meta, claim, node));
    }
  }
  for (const auto& [key, why] : solution.unschedulable) {
    const auto pod = pods.find(key);
    if (pod == pods.end() || scheduling::avoids_our_nodes(*pod->second)) continue;
    decision.plan.add(plan::RecordEvent{plan::pod_ref(pod->second->meta), "Warning", "FailedScheduling",
                                        "Failed to schedule pod, " + why.message, 5min});
  }
  for (const auto& [name, by_min_values] : solution.pools_without_types) {
    const std::string why = by_min_values ? " due to minValues incompatibility" : "";
    decision.plan.add(
        plan::RecordEvent{plan::ref(*snapshot.pool(name)->pool), "Warning", "NoCompatibleInstanceTypes",
                          "NodePool requirements filtered out all compatible available instance types" + why, 1min});
  }
  return decision;
}

size_t count_ignored(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution) {
  const auto ignored = [&](const auto& pod) {
    return solution.unschedulable.contains(pod->key()) && !pod->spec->uses_resource_claims &&
           !scheduling::pod_problem(snapshot, *pod).empty();
  };
  return static_cast<size_t>(std::count_if(snapshot.pending.begin(), snapshot.pending.end(), ignored));
}

plan::Plan decide_buffers(const std::vector<model::CapacityBuffer>& buffers, const scheduling::BufferStates& states,
                          Instant now) {
  plan::Plan plan;
  for (const model::CapacityBuffer& before : buffers) {
    const auto at = states.find(before.meta.ns + "/" + before.meta.name);
    if (at == states.end()) continue;
    const scheduling::BufferState& state = at->second;
    model::CapacityBuffer after = before;
    model::CapacityBufferStatus& status = after.status;
    status.strategy = before.strategy;
    status.pod_template = before.pod_template;
    if (!before.pod_template.empty()) status.pod_template_generation = state.source_generation;
    status.replicas = state.pods;
    for (model::Condition& condition : state.conditions(now)) {
      condition.observed_generation = before.meta.generation;
      model::set_condition(status.conditions, std::move(condition));
    }
    if (after == before) continue;
    plan.begin_group();
    plan.add(plan::PatchCapacityBuffer{before, after});
  }
  return plan;
}

}  // namespace tenon::controllers::provisioning
