// Defaults of the built-in kinds. parity: pkg/apis/*/v1/defaults.go
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>

#include "json/json.h"
#include "kubesim/apiserver/admit/default_values.h"
#include "kubesim/apiserver/admit/strategy.h"
#include "kubesim/apiserver/kinds/crd.h"

namespace tenon::kubesim::apiserver {
namespace {

using namespace defaults;
using boost::json::array;

void default_rolling_update(object& strategy, value max_unavailable, value max_surge) {
  fill(strategy, "type", "RollingUpdate");
  if (*strategy.if_contains("type") != "RollingUpdate") return;
  fill(strategy, "rollingUpdate", object());
  if (object* rolling = child(strategy, "rollingUpdate")) {
    fill(*rolling, "maxUnavailable", std::move(max_unavailable));
    fill(*rolling, "maxSurge", std::move(max_surge));
  }
}

void default_deployment(object& spec) {
  default_template(spec);
  fill(spec, "replicas", 1);
  fill(spec, "strategy", object());
  if (object* strategy = child(spec, "strategy")) default_rolling_update(*strategy, "25%", "25%");
  fill(spec, "revisionHistoryLimit", 10);
  fill(spec, "progressDeadlineSeconds", 600);
}

void default_replica_set(object& spec) {
  default_template(spec);
  fill(spec, "replicas", 1);
}

void default_daemon_set(object& spec) {
  default_template(spec);
  fill(spec, "updateStrategy", object());
  if (object* strategy = child(spec, "updateStrategy")) default_rolling_update(*strategy, 1, 0);
  fill(spec, "revisionHistoryLimit", 10);
}

void default_claim_spec(object& spec) { fill(spec, "volumeMode", "Filesystem"); }

void default_stateful_set(object& spec) {
  default_template(spec);
  fill(spec, "replicas", 1);
  fill(spec, "podManagementPolicy", "OrderedReady");
  fill(spec, "updateStrategy", object());
  if (object* strategy = child(spec, "updateStrategy")) {
    fill(*strategy, "type", "RollingUpdate");
    if (*strategy->if_contains("type") == "RollingUpdate") {
      fill(*strategy, "rollingUpdate", object());
      if (object* rolling = child(*strategy, "rollingUpdate")) fill(*rolling, "partition", 0);
    }
  }
  fill(spec, "persistentVolumeClaimRetentionPolicy", {{"whenDeleted", "Retain"}, {"whenScaled", "Retain"}});
  fill(spec, "revisionHistoryLimit", 10);
  for_each(spec, "volumeClaimTemplates", [](object& claim) {
    fill(claim, "apiVersion", "v1");
    fill(claim, "kind", "PersistentVolumeClaim");
    if (object* claim_spec = child(claim, "spec")) default_claim_spec(*claim_spec);
    fill(claim, "status", {{"phase", "Pending"}});
  });
}

void default_job(object& spec) {
  default_template(spec);
  fill(spec, "backoffLimit", 6);
  fill(spec, "completionMode", "NonIndexed");
  fill(spec, "suspend", false);
  fill(spec, "manualSelector", false);
  fill(spec, "podReplacementPolicy", spec.contains("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  if (!spec.contains("completions") && !spec.contains("parallelism")) spec["completions"] = 1;
  fill(spec, "parallelism", 1);
}

void default_cron_job(object& spec) {
  fill(spec, "concurrencyPolicy", "Allow");
  fill(spec, "suspend", false);
  fill(spec, "successfulJobsHistoryLimit", 3);
  fill(spec, "failedJobsHistoryLimit", 1);
  if (object* job = child(spec, "jobTemplate")) {
    fill(*job, "metadata", object());
    if (object* job_spec = child(*job, "spec")) default_template(*job_spec);
  }
}

void default_service(object& spec) {
  fill(spec, "type", "ClusterIP");
  fill(spec, "sessionAffinity", "None");
  fill(spec, "internalTrafficPolicy", "Cluster");
  const value& type = spec["type"];
  if (type == "NodePort" || type == "LoadBalancer") fill(spec, "externalTrafficPolicy", "Cluster");
  if (type == "LoadBalancer") fill(spec, "allocateLoadBalancerNodePorts", true);
  if (type == "ExternalName") spec.erase("internalTrafficPolicy");
  for_each(spec, "ports", [](object& port) {
    fill(port, "protocol", "TCP");
    if (const value* number = port.if_contains("port")) fill(port, "targetPort", *number);
  });
}

void default_volume_spec(object& spec) {
  fill(spec, "persistentVolumeReclaimPolicy", "Retain");
  fill(spec, "volumeMode", "Filesystem");
}

void default_autoscaler(object& spec) {
  fill(spec, "minReplicas", 1);
  if (spec.contains("metrics")) return;
  spec["metrics"] =
      array{{{"type", "Resource"},
             {"resource", {{"name", "cpu"}, {"target", {{"type", "Utilization"}, {"averageUtilization", 80}}}}}}};
}

using SpecDefaults = void (*)(object& spec);
using Key = std::pair<std::string_view, std::string_view>;

const std::map<Key, SpecDefaults>& table() {
  static const std::map<Key, SpecDefaults> kTable = {
      {{"", "Pod"}, default_pod},
      {{"", "ReplicationController"}, default_replica_set},
      {{"", "Service"}, default_service},
      {{"", "PersistentVolumeClaim"}, default_claim_spec},
      {{"", "PersistentVolume"}, default_volume_spec},
      {{"apps", "Deployment"}, default_deployment},
      {{"apps", "ReplicaSet"}, default_replica_set},
      {{"apps", "DaemonSet"}, default_daemon_set},
      {{"apps", "StatefulSet"}, default_stateful_set},
      {{"batch", "Job"}, default_job},
      {{"batch", "CronJob"}, default_cron_job},
      {{"autoscaling", "HorizontalPodAutoscaler"}, default_autoscaler},
  };
  return kTable;
}

}  // namespace

void apply_defaults(const ResourceInfo& info, value& at) {
  if (info.custom) {
    if (info.custom->schema) info.custom->schema->apply_defaults(at);
    return;
  }
  if (is_definition(info)) return default_definition(at);
  object& root = at.get_object();
  default_other(info, root);
  if (Key(info.group, info.kind) == Key("", "PodTemplate")) default_template(root);  // PodTemplate has no spec
  const auto found = table().find(Key(info.group, info.kind));
  if (found == table().end()) return;
  if (object* spec = child(root, "spec")) found->second(*spec);
}

}  // namespace tenon::kubesim::apiserver
