// SPDX-License-Identifier: Apache-2.0
#include "log/messages.h"

#include <array>
#include <utility>

namespace tenon::log {
namespace {
using enum Level;
}  // namespace

const Message kComputingDecision{kDebug, "computing scheduling decision for provisionable pod(s)",
                                 "pending-pods deleting-pods", "A batch of pods has closed."};
const Message kFoundPods{kInfo, "found provisionable pod(s)", "Pods duration",
                         "A decision creates NodeClaims. `duration` is the time of the decision."};
const Message kComputedClaims{kInfo, "computed new nodeclaim(s) to fit pod(s)", "nodeclaims pods",
                              "The same decision: how many NodeClaims it creates, for how many pods."};
const Message kComputedNodes{kInfo, "computed unready node(s) will fit pod(s)", "nodes pods",
                             "The same decision places pods on nodes that exist or are being launched."};
const Message kCreatedNodeClaim{kInfo, "created nodeclaim", "NodePool NodeClaim requests instance-types",
                                "The API server has the NodeClaim. Its instance is launched next."};
const Message kCouldNotSchedule{kError, "could not schedule pod", "Pod error",
                                "No node that exists or could be launched takes the pod. `error` says why."};
const Message kNoPools{kInfo, "no dynamic nodepools found", "",
                       "Pods wait, and no NodePool is ready, except those with `replicas`."};
const Message kNoTypes{kInfo, "skipping, nodepool requirements filtered out all instance types", "NodePool",
                       "Pods wait, and no instance type meets the requirements of the NodePool."};

const Message kLaunchedNodeClaim{kInfo, "launched nodeclaim",
                                 "NodePool NodeClaim provider-id instance-type zone capacity-type allocatable",
                                 "The cloud has launched the instance."};
const Message kFailedLaunch{kError, "failed launching nodeclaim", "NodeClaim error",
                            "The cloud has no capacity, or the node class is not ready. The NodeClaim is deleted."};
const Message kRegisteredNodeClaim{kInfo, "registered nodeclaim", "NodePool NodeClaim Node provider-id",
                                   "The Node of the NodeClaim has joined, and has its labels and taints."};
const Message kInitializedNodeClaim{kInfo, "initialized nodeclaim", "NodePool NodeClaim Node provider-id allocatable",
                                    "The Node is ready, without startup taints, and shows its resources."};
const Message kTimedOut{kDebug, "terminating due to timeout", "NodePool NodeClaim Node provider-id timeout reason",
                        "The NodeClaim did not launch or register in time and is deleted."};
const Message kAnnotatedNodeClaim{kInfo, "annotated nodeclaim",
                                  "NodePool NodeClaim Node provider-id karpenter.sh/nodeclaim-termination-timestamp",
                                  "The NodeClaim has the time at which its remaining pods are deleted."};
const Message kTaintedNode{kInfo, "tainted node",
                           "NodePool NodeClaim Node provider-id taint.Key taint.Value taint.Effect",
                           "A Node that is being deleted takes no more pods; its drain begins."};
const Message kDeletingPod{kDebug, "deleting pod", "Node Pod reason",
                           "A pod is deleted without an eviction: its node's termination grace period ends."};
const Message kDeletedNode{kInfo, "deleted node", "NodePool NodeClaim Node provider-id",
                           "The Node is drained and its instance has ended; the Node has lost its finalizer."};
const Message kDeletedNodeClaim{kInfo, "deleted nodeclaim", "NodePool NodeClaim Node provider-id",
                                "The instance has ended; the NodeClaim has lost its finalizer."};

const Message kDisruptingNodes{kInfo, "disrupting node(s)",
                               "command decision disrupted-node-count replacement-node-count pod-count "
                               "disrupted-nodes replacement-nodes",
                               "Consolidation or drift removes nodes; their replacements are created."};
const Message kCommandSucceeded{kDebug, "command succeeded", "decision disrupted-node-count replacement-node-count",
                                "The replacements are ready, and the disrupted NodeClaims are deleted."};
const Message kMarkingDrifted{kDebug, "marking drifted", "NodePool NodeClaim Node provider-id reason",
                              "A NodeClaim differs from its NodePool or node class."};
const Message kMarkingConsolidatable{kDebug, "marking consolidatable", "NodePool NodeClaim Node provider-id",
                                     "No pod has come or gone for `consolidateAfter`."};
const Message kDeletingExpired{kDebug, "deleting expired nodeclaim", "NodePool NodeClaim Node provider-id",
                               "The NodeClaim is older than `expireAfter`."};
const Message kDeletingUnhealthy{kInfo, "deleting unhealthy node", "NodePool NodeClaim Node provider-id",
                                 "Feature gate NodeRepair: an unhealthy condition has lasted too long."};
const Message kInterrupted{kInfo, "initiating delete from interruption message",
                           "NodePool NodeClaim Node provider-id messageKind",
                           "A notice of EC2 about the instance leads to the deletion of its NodeClaim."};
const Message kGarbage{kDebug, "garbage collecting nodeclaim with no cloudprovider representation",
                       "NodePool NodeClaim Node provider-id", "The instance of a NodeClaim does not exist any more."};

const Message kProvisioningReplicas{kInfo, "provisioning nodeclaims to satisfy replica count",
                                    "NodePool current desired provision-count",
                                    "A NodePool with `replicas` has too few nodes."};
const Message kDeprovisioningReplicas{kInfo, "deprovisioning nodeclaims to satisfy replica count",
                                      "NodePool current desired deprovision-count",
                                      "A NodePool with `replicas` has too many nodes."};
const Message kAtNodeLimit{
    kInfo, "nodepool node limit reached", "NodePool",
    "A NodePool with `replicas` has as many nodes as its limits, or that of the cluster, allow."};

std::span<const Message* const> all_messages() {
  static constexpr std::array kAll{&kComputingDecision,
                                   &kFoundPods,
                                   &kComputedClaims,
                                   &kComputedNodes,
                                   &kCreatedNodeClaim,
                                   &kCouldNotSchedule,
                                   &kNoPools,
                                   &kNoTypes,
                                   &kLaunchedNodeClaim,
                                   &kFailedLaunch,
                                   &kRegisteredNodeClaim,
                                   &kInitializedNodeClaim,
                                   &kTimedOut,
                                   &kAnnotatedNodeClaim,
                                   &kTaintedNode,
                                   &kDeletingPod,
                                   &kDeletedNode,
                                   &kDeletedNodeClaim,
                                   &kDisruptingNodes,
                                   &kCommandSucceeded,
                                   &kMarkingDrifted,
                                   &kMarkingConsolidatable,
                                   &kDeletingExpired,
                                   &kDeletingUnhealthy,
                                   &kInterrupted,
                                   &kGarbage,
                                   &kProvisioningReplicas,
                                   &kDeprovisioningReplicas,
                                   &kAtNodeLimit};
  return kAll;
}

Entry step(const Message& message, Fields fields) {
  return {.message = std::string(message.text), .fields = std::move(fields), .level = message.level, .step = true};
}

Entry decision(const Message& message, Fields fields, std::string words) {
  return {.message = std::string(message.text),
          .fields = std::move(fields),
          .words = std::move(words),
          .level = message.level};
}

std::string some_of(std::span<const std::string> names, size_t at_most) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == at_most) return out + " and " + std::to_string(names.size() - i) + " other(s)";
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return out;
}

}  // namespace tenon::log
