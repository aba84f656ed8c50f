// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/generations.h"
#include "model/kwok.h"

namespace tenon::plan {
namespace {

constexpr const char* kKarpenterV1 = "karpenter.sh/v1";

struct Describe {
  std::string operator()(const CreateNodeClaim& a) const { return "CreateNodeClaim " + a.claim.meta.generate_name; }
  std::string operator()(const PatchNodeClaim& a) const { return "PatchNodeClaim " + a.after.meta.name; }
  std::string operator()(const PatchNode& a) const { return "PatchNode " + a.after.meta.name; }
  std::string operator()(const PatchNodePool& a) const { return "PatchNodePool " + a.after.meta.name; }
  std::string operator()(const PatchNodeClass& a) const { return "PatchNodeClass " + a.after.meta.name; }
  std::string operator()(const PatchNodeOverlay& a) const { return "PatchNodeOverlay " + a.after.meta.name; }
  std::string operator()(const PatchCapacityBuffer& a) const {
    return "PatchCapacityBuffer " + a.after.meta.ns + "/" + a.after.meta.name;
  }
  std::string operator()(const DeleteNodeClaim& a) const {
    return "DeleteNodeClaim " + a.claim.meta.name + (a.why.empty() ? "" : " (" + a.why + ")");
  }
  std::string operator()(const DeleteNode& a) const { return "DeleteNode " + a.name; }
  std::string operator()(const EvictPod& a) const { return "EvictPod " + a.pod.ns + "/" + a.pod.name; }
  std::string operator()(const DeletePod& a) const { return "DeletePod " + a.ns + "/" + a.name; }
  std::string operator()(const RecordEvent& a) const { return "RecordEvent " + a.reason + " " + a.about.name; }
  std::string operator()(const RecordEvents& a) const { return "RecordEvents " + std::to_string(a.events.size()); }
  std::string operator()(const LaunchInstance& a) const { return "LaunchInstance " + a.claim.meta.name; }
  std::string operator()(const TerminateInstance& a) const { return "TerminateInstance " + a.provider_id; }
  std::string operator()(const TagInstance& a) const { return "TagInstance " + a.claim.meta.name; }
  std::string operator()(const AvoidOffering& a) const { return "AvoidOffering " + a.claim.meta.name; }
  std::string operator()(const AnnounceEnd& a) const { return "AnnounceEnd " + a.claim.meta.name; }
  std::string operator()(const CleanUpNodeClass& a) const { return "CleanUpNodeClass " + a.node_class.meta.name; }
  std::string operator()(const RemoveStrayProfiles&) const { return "RemoveStrayProfiles"; }
  std::string operator()(const Nominate& a) const { return "Nominate " + (a.node.empty() ? a.claim : a.node); }
  std::string operator()(const MarkForDeletion& a) const { return "MarkForDeletion " + a.claim; }
  std::string operator()(const UnmarkForDeletion& a) const { return "UnmarkForDeletion " + a.claim; }
  std::string operator()(const PromiseRoom& a) const { return "PromiseRoom " + a.node; }
  std::string operator()(const HoldDrain& a) const { return "HoldDrain " + a.claim; }
  std::string operator()(const ReleaseDrain& a) const { return "ReleaseDrain " + a.claim; }
};

ObjectRef provisioner_ref(const std::string& name, const std::string& uid) {
  return {"karpenter.sh/v1alpha5", std::string(model::kProvisionerKind), "", name, uid};
}

}  // namespace

ObjectRef ref(const model::NodeClaim& claim) {
  return {kKarpenterV1, "NodeClaim", "", claim.meta.name, claim.meta.uid};
}
ObjectRef ref(const model::Node& node) { return {"v1", "Node", "", node.meta.name, node.meta.uid}; }
ObjectRef ref(const model::NodePool& pool) {
  const std::string name(model::object_name(pool.meta.name));
  if (model::is_provisioner(pool.meta.name)) return provisioner_ref(name, pool.meta.uid);
  return {kKarpenterV1, "NodePool", "", name, pool.meta.uid};
}
ObjectRef ref(const model::NodeClass& node_class) {
  const std::string name(model::object_name(node_class.meta.name));
  if (model::is_node_template(node_class.meta.name)) {
    return {"karpenter.k8s.aws/v1alpha1", std::string(model::kNodeTemplateKind), "", name, node_class.meta.uid};
  }
  if (model::is_kwok_class(node_class.meta.name)) {
    return {"karpenter.kwok.sh/v1alpha1", std::string(model::kKwokClassKind), "", name, node_class.meta.uid};
  }
  if (model::is_inline_provider(node_class.meta.name)) return provisioner_ref(name, node_class.meta.uid);
  return {"karpenter.k8s.aws/v1", "EC2NodeClass", "", name, node_class.meta.uid};
}
tenon::log::Fields log_fields(const model::NodeClaim& claim) {
  return {.node_pool = std::string(model::object_name(claim.pool())),
          .node_claim = claim.meta.name,
          .node = claim.node_name,
          .provider_id = claim.provider_id};
}
tenon::log::Object log_amounts(const model::Resources& resources) {
  tenon::log::Object object;
  for (const auto& [name, amount] : resources.entries()) object.emplace_back(name, model::format_amount(name, amount));
  return object;
}
ObjectRef pod_ref(const model::ObjectMeta& pod) { return {"v1", "Pod", pod.ns, pod.name, pod.uid}; }

void Plan::add_if_changed(const model::NodeClaim& before, const model::NodeClaim& after) {
  if (before != after) add(PatchNodeClaim{before, after});
}
void Plan::add_if_changed(const model::Node& before, const model::Node& after) {
  if (before != after) add(PatchNode{before, after});
}
void Plan::begin_group() {
  if (groups.empty() || groups.back() != actions.size()) groups.push_back(actions.size());
}
void Plan::append(Plan other) {
  begin_group();
  for (const size_t group : other.groups) {
    const size_t at = actions.size() + group;
    if (groups.back() != at) groups.push_back(at);
  }
  actions.insert(actions.end(), std::make_move_iterator(other.actions.begin()),
                 std::make_move_iterator(other.actions.end()));
  log.insert(log.end(), std::make_move_iterator(other.log.begin()), std::make_move_iterator(other.log.end()));
  proposals.insert(proposals.end(), std::make_move_iterator(other.proposals.begin()),
                   std::make_move_iterator(other.proposals.end()));
}
void Plan::requeue_after(Duration after) { again = again ? std::min(*again, after) : after; }

std::string describe(const Action& action) { return std::visit(Describe{}, action); }

}  // namespace tenon::plan
