// SPDX-License-Identifier: Apache-2.0
#include "migrate/claim.h"

#include <algorithm>
#include <set>

#include "cloud/aws_provider/util/tags.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "model/condition_set.h"
#include "model/labels.h"
#include "model/node_class_label.h"
#include "model/structural_hash.h"

namespace tenon::migrate {
namespace {

constexpr size_t kMaxName = 63;

// Labels that describe the instance, and those that the NodePool gives or requires.
model::StringMap labels_of(const model::Node& node, const model::NodePool& pool) {
  std::set<std::string> required;
  for (const auto& requirement : pool.node_template.requirements) required.insert(requirement.key);
  model::StringMap labels;
  for (const auto& [key, text] : node.meta.labels) {
    const bool kept =
        model::is_well_known_label(key) || pool.node_template.labels.contains(key) || required.contains(key);
    if (kept && key != model::kLabelHostname) labels[key] = text;
  }
  labels[std::string(model::kLabelNodePool)] = pool.meta.name;
  labels[model::node_class_label(pool.node_template.node_class_ref)] = pool.node_template.node_class_ref.name;
  return labels;
}

// The instance fulfils them by itself: what runs is what may be launched.
std::vector<model::RequirementSpec> requirements_of(const model::StringMap& labels) {
  std::vector<model::RequirementSpec> all;
  for (const std::string_view key :
       {model::kLabelNodeClass, model::kLabelCapacityType, model::kLabelNodePool, model::kLabelArch, model::kLabelOs,
        model::kLabelInstanceType, model::kLabelZone}) {
    const std::string_view text = model::lookup(labels, key);
    if (!text.empty()) all.push_back({std::string(key), model::Operator::kIn, {std::string(text)}, std::nullopt});
  }
  return all;
}

model::OptionalDuration expiry(const model::Node& node, const model::NodePool& pool, Instant now) {
  const auto& after = pool.node_template.expire_after;
  if (!after) return after;
  const Duration left = *after - (now - node.meta.created_at);
  return std::chrono::floor<std::chrono::seconds>(std::max(left, std::min(*after, kLeastLife)));
}

void write_status(const ClaimOf& of, const model::Node& node, model::NodeClaim& claim) {
  claim.provider_id = node.provider_id;
  claim.node_name = node.meta.name;
  claim.image_id = of.instance.image_id;
  claim.capacity = node.capacity;
  claim.allocatable = node.allocatable;
  model::ConditionSet status({&claim.conditions, of.now, 1}, model::kNodeClaimStatus, of.now);
  status.set_true(model::kLaunched);
  status.set_true(model::kRegistered);
  if (model::lookup(node.meta.labels, model::kLabelInitialized) == "true") status.set_true(model::kInitialized);
}

}  // namespace

Result<json::value> make_claim(const ClaimOf& of) {
  const model::Node node = TRY_IN("Node", kube::codec::decode_node(of.node));
  const model::NodePool pool = TRY_IN("NodePool", kube::codec::decode_node_pool(of.pool));
  model::NodeClaim claim;
  claim.meta.name = of.name;
  claim.meta.finalizers = {std::string(model::kFinalizerTermination)};
  claim.meta.labels = labels_of(node, pool);
  claim.meta.annotations = pool.node_template.annotations;
  claim.meta.annotations[std::string(model::kAnnotationInstance)] = node.provider_id;
  claim.meta.annotations[std::string(model::kAnnotationNodePoolHash)] = model::node_pool_hash(pool);
  claim.meta.annotations[std::string(model::kAnnotationNodePoolHashVersion)] = model::kNodePoolHashVersion;
  claim.node_class_ref = pool.node_template.node_class_ref;
  claim.requirements = requirements_of(claim.meta.labels);
  claim.taints = pool.node_template.taints;
  claim.startup_taints = pool.node_template.startup_taints;
  claim.expire_after = expiry(node, pool, of.now);
  write_status(of, node, claim);
  json::value document = kube::codec::encode(claim);
  json::ensure(document, {"metadata", "ownerReferences"}) = json::array{json::object{
      {"apiVersion", "karpenter.sh/v1"}, {"kind", "NodePool"}, {"name", pool.meta.name}, {"blockOwnerDeletion", true}}};
  return document;
}

std::string claim_name(const std::string& pool, const std::string& instance_id) {
  const std::string suffix = "-" + instance_id.substr(instance_id.find('-') + 1);
  return pool.substr(0, kMaxName - std::min(kMaxName, suffix.size())) + suffix;
}

}  // namespace tenon::migrate
