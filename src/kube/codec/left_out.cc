// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/left_out.h"

namespace tenon::kube::codec {
namespace {

using json::LeftOut;
using Rules = std::vector<LeftOut>;

LeftOut metadata() { return {"metadata", {{"managedFields"}}}; }

Rules containers() {
  return {{"args"},          {"command"},         {"env"},
          {"envFrom"},       {"image"},           {"imagePullPolicy"},
          {"lifecycle"},     {"livenessProbe"},   {"readinessProbe"},
          {"startupProbe"},  {"securityContext"}, {"terminationMessagePath"},
          {"volumeDevices"}, {"volumeMounts"},    {"terminationMessagePolicy"},
          {"workingDir"}};
}

Rules pod_spec() {
  const Rules volumes{{"configMap"}, {"downwardAPI"}, {"emptyDir"}, {"hostPath"}, {"projected"}, {"secret"}};
  return {{"containers", containers()},
          {"initContainers", containers()},
          {"ephemeralContainers"},
          {"volumes", volumes},
          {"dnsConfig"},
          {"hostAliases"},
          {"hostname"},
          {"imagePullSecrets"},
          {"securityContext"}};
}

Rules pod() {
  const Rules container{{"containerID"}, {"image"}, {"imageID"}, {"lastState"}, {"state"}, {"user"}, {"volumeMounts"}};
  return {metadata(),
          {"spec", pod_spec()},
          {"status",
           {{"containerStatuses", container},
            {"initContainerStatuses", container},
            {"ephemeralContainerStatuses"},
            {"hostIPs"},
            {"podIPs"}}}};
}

Rules node() {
  return {metadata(),
          {"status",
           {{"addresses"},
            {"daemonEndpoints"},
            {"features"},
            {"images"},
            {"nodeInfo"},
            {"runtimeHandlers"},
            {"volumesAttached"},
            {"volumesInUse"}}}};
}

Rules with_template() { return {metadata(), {"spec", {{"template", {{"spec", pod_spec()}}}}}}; }

}  // namespace

const std::vector<LeftOut>& left_out(std::string_view kind, bool stored) {
  static const Rules kAny{metadata()}, kPod = pod(), kNode = node(), kTemplate = with_template();
  if (!stored) return kAny;
  if (kind == "Pod") return kPod;
  if (kind == "Node") return kNode;
  if (kind == "DaemonSet" || kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet") return kTemplate;
  return kAny;
}

}  // namespace tenon::kube::codec
