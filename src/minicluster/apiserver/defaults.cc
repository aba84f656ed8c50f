// Defaults of the built-in kinds. parity: pkg/apis/*/v1/defaults.go
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>

#include "json/json.h"
#include "minicluster/apiserver/crd.h"
#include "minicluster/apiserver/limits.h"
#include "minicluster/apiserver/strategy.h"

namespace tenon::minicluster::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

void fill(object& at, std::string_view field, value otherwise) {
  value& slot = at[field];
  if (slot.is_null()) slot = std::move(otherwise);
}

// The object under a field; null if there is none.
object* child(object& at, std::string_view field) {
  value* v = at.if_contains(field);
  return v == nullptr ? nullptr : v->if_object();
}

template <class F>
void for_each(object& at, std::string_view field, F f) {
  value* v = at.if_contains(field);
  if (v == nullptr || !v->is_array()) return;
  for (value& item : v->get_array()) {
    if (object* o = item.if_object()) f(*o);
  }
}

// "nginx" and "nginx:latest" are pulled always, "nginx:1.25" and digests if not present.
bool is_latest(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const std::string_view last = image.substr(image.rfind('/') + 1);
  const size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest";
}

void default_probe(object& container, std::string_view field) {
  object* probe = child(container, field);
  if (probe == nullptr) return;
  fill(*probe, "timeoutSeconds", 1);
  fill(*probe, "periodSeconds", 10);
  fill(*probe, "successThreshold", 1);
  fill(*probe, "failureThreshold", 3);
  if (object* get = child(*probe, "httpGet")) {
    fill(*get, "path", "/");
    fill(*get, "scheme", "HTTP");
  }
}

void default_container(object& container) {
  const value* image = container.if_contains("image");
  const bool latest = image != nullptr && image->is_string() && is_latest(image->get_string());
  fill(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
  fill(container, "terminationMessagePath", "/dev/termination-log");
  fill(container, "terminationMessagePolicy", "File");
  fill(container, "resources", object());
  for_each(container, "ports", [](object& port) { fill(port, "protocol", "TCP"); });
  for_each(container, "env", [](object& entry) {
    if (object* from = child(entry, "valueFrom")) {
      if (object* field = child(*from, "fieldRef")) fill(*field, "apiVersion", "v1");
    }
  });
  for (std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) default_probe(container, probe);
  object* resources = child(container, "resources");
  object* limits = resources == nullptr ? nullptr : child(*resources, "limits");
  if (limits == nullptr || limits->empty()) return;
  fill(*resources, "requests", object());
  if (object* requests = child(*resources, "requests")) {
    for (const auto& limit : *limits) fill(*requests, limit.key(), limit.value());
  }
}

void default_volume(object& volume) {
  static constexpr std::pair<std::string_view, int> kModes[] = {
      {"secret", 0644}, {"configMap", 0644}, {"downwardAPI", 0644}, {"projected", 0644}};
  for (const auto& [kind, mode] : kModes) {
    if (object* source = child(volume, kind)) fill(*source, "defaultMode", mode);
  }
  if (object* path = child(volume, "hostPath")) fill(*path, "type", "");
  if (object* projected = child(volume, "projected")) {
    for_each(*projected, "sources", [](object& source) {
      if (object* token = child(source, "serviceAccountToken")) fill(*token, "expirationSeconds", 3600);
    });
  }
  if (object* ephemeral = child(volume, "ephemeral")) {
    if (object* claim = child(*ephemeral, "volumeClaimTemplate")) {
      if (object* spec = child(*claim, "spec")) fill(*spec, "volumeMode", "Filesystem");
    }
  }
}

void default_pod_spec(object& spec) {
  fill(spec, "restartPolicy", "Always");
  fill(spec, "terminationGracePeriodSeconds", kDefaultGraceSeconds);
  fill(spec, "dnsPolicy", "ClusterFirst");
  fill(spec, "securityContext", object());
  fill(spec, "schedulerName", "default-scheduler");
  if (const value* account = spec.if_contains("serviceAccountName"); account != nullptr && account->is_string()) {
    fill(spec, "serviceAccount", *account);
  }
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for_each(spec, list, default_container);
  }
  for_each(spec, "volumes", default_volume);
  const value* host_network = spec.if_contains("hostNetwork");
  if (host_network == nullptr || !host_network->is_bool() || !host_network->get_bool()) return;
  for_each(spec, "containers", [](object& container) {
    for_each(container, "ports", [](object& port) {
      if (const value* number = port.if_contains("containerPort")) fill(port, "hostPort", *number);
    });
  });
}

void default_template(object& spec) {
  object* pod_template = child(spec, "template");
  if (pod_template == nullptr) return;
  fill(*pod_template, "metadata", object());
  if (object* pod_spec = child(*pod_template, "spec")) default_pod_spec(*pod_spec);
}

void default_pod(object& spec) {
  default_pod_spec(spec);
  fill(spec, "enableServiceLinks", true);
}

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

// Defaults of kinds whose fields are not below a spec.
void default_other(const ResourceInfo& info, object& root) {
  if (info.kind == "StorageClass") {
    fill(root, "reclaimPolicy", "Delete");
    fill(root, "volumeBindingMode", "Immediate");
  } else if (info.kind == "PriorityClass") {
    fill(root, "preemptionPolicy", "PreemptLowerPriority");
  } else if (info.kind == "Secret") {
    fill(root, "type", "Opaque");
  } else if (info.kind == "Namespace") {
    value& labels = root["metadata"].get_object()["labels"];
    if (!labels.is_object()) labels.emplace_object();
    labels.get_object()["kubernetes.io/metadata.name"] = root["metadata"].get_object()["name"];
  }
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
  const auto found = table().find(Key(info.group, info.kind));
  if (found == table().end()) return;
  if (object* spec = child(root, "spec")) found->second(*spec);
}

}  // namespace tenon::minicluster::apiserver
