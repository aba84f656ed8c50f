// The built-in resources of Kubernetes, in the discovery order of their groups.
// parity: discovery of kube-apiserver 1.34 (without flowcontrol, certificates, resource, node and internal groups)
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {
namespace {

using V = Verbs;
using T = Traits;

const Subresource kStatusSub{"status", V::kStatus};
const Subresource kScaleSub{"scale", V::kStatus, "autoscaling", "v1", "Scale"};

ResourceInfo cluster_wide(ResourceInfo info) {
  info.namespaced = false;
  return info;
}

ResourceInfo review(std::string group, std::string kind, std::string plural, bool namespaced = false) {
  std::string singular = plural.substr(0, plural.size() - 1);
  return {.group = std::move(group),
          .version = "v1",
          .kind = std::move(kind),
          .plural = std::move(plural),
          .singular = std::move(singular),
          .namespaced = namespaced,
          .verbs = V::kCreate,
          .traits = T::kVirtual};
}

std::vector<ResourceInfo> core() {
  return {
      {.version = "v1",
       .kind = "Binding",
       .plural = "bindings",
       .singular = "binding",
       .verbs = V::kCreate,
       .traits = T::kVirtual},
      {.version = "v1",
       .kind = "ConfigMap",
       .plural = "configmaps",
       .singular = "configmap",
       .short_names = {"cm"},
       .traits = T::kUnconditional},
      {.version = "v1",
       .kind = "Endpoints",
       .plural = "endpoints",
       .singular = "endpoints",
       .short_names = {"ep"},
       .traits = T::kUnconditional},
      {.version = "v1",
       .kind = "Event",
       .plural = "events",
       .singular = "event",
       .short_names = {"ev"},
       .traits = T::kUnconditional | T::kCreateOnUpdate},
      {.version = "v1",
       .kind = "LimitRange",
       .plural = "limitranges",
       .singular = "limitrange",
       .short_names = {"limits"},
       .traits = T::kUnconditional},
      cluster_wide({.version = "v1",
                    .kind = "Namespace",
                    .plural = "namespaces",
                    .singular = "namespace",
                    .short_names = {"ns"},
                    .verbs = V::kAll & ~unsigned{V::kDeleteCollection},
                    .traits = T::kStatus | T::kReturnsDeleted | T::kLabelName | T::kUnconditional,
                    .subresources = {{"finalize", V::kUpdate}, kStatusSub}}),
      cluster_wide({.version = "v1",
                    .kind = "Node",
                    .plural = "nodes",
                    .singular = "node",
                    .short_names = {"no"},
                    .traits = T::kStatus | T::kKeepsStatus | T::kUnconditional,
                    .subresources = {kStatusSub}}),
      {.version = "v1",
       .kind = "PersistentVolumeClaim",
       .plural = "persistentvolumeclaims",
       .singular = "persistentvolumeclaim",
       .short_names = {"pvc"},
       .traits = T::kStatus | T::kReturnsDeleted | T::kUnconditional,
       .subresources = {kStatusSub}},
      cluster_wide({.version = "v1",
                    .kind = "PersistentVolume",
                    .plural = "persistentvolumes",
                    .singular = "persistentvolume",
                    .short_names = {"pv"},
                    .traits = T::kStatus | T::kReturnsDeleted | T::kUnconditional,
                    .subresources = {kStatusSub}}),
      {.version = "v1",
       .kind = "Pod",
       .plural = "pods",
       .singular = "pod",
       .short_names = {"po"},
       .categories = {"all"},
       .traits = T::kGeneration | T::kStatus | T::kReturnsDeleted | T::kUnconditional,
       .subresources = {{"binding", V::kCreate, "", "v1", "Binding"},
                        {"ephemeralcontainers", V::kStatus},
                        {"eviction", V::kCreate, "policy", "v1", "Eviction"},
                        {"log", V::kGet},
                        {"resize", V::kStatus},
                        kStatusSub}},
      {.version = "v1",
       .kind = "PodTemplate",
       .plural = "podtemplates",
       .singular = "podtemplate",
       .traits = T::kGeneration | T::kReturnsDeleted | T::kUnconditional},
      {.version = "v1",
       .kind = "ReplicationController",
       .plural = "replicationcontrollers",
       .singular = "replicationcontroller",
       .short_names = {"rc"},
       .categories = {"all"},
       .traits = T::kGeneration | T::kStatus | T::kUnconditional,
       .subresources = {kScaleSub, kStatusSub}},
      {.version = "v1",
       .kind = "ResourceQuota",
       .plural = "resourcequotas",
       .singular = "resourcequota",
       .short_names = {"quota"},
       .traits = T::kStatus | T::kReturnsDeleted | T::kUnconditional,
       .subresources = {kStatusSub}},
      {.version = "v1", .kind = "Secret", .plural = "secrets", .singular = "secret", .traits = T::kUnconditional},
      {.version = "v1",
       .kind = "ServiceAccount",
       .plural = "serviceaccounts",
       .singular = "serviceaccount",
       .short_names = {"sa"},
       .traits = T::kReturnsDeleted | T::kUnconditional,
       .subresources = {{"token", V::kCreate, "authentication.k8s.io", "v1", "TokenRequest"}}},
      {.version = "v1",
       .kind = "Service",
       .plural = "services",
       .singular = "service",
       .short_names = {"svc"},
       .categories = {"all"},
       .traits = T::kStatus | T::kReturnsDeleted | T::kLabelName | T::kUnconditional,
       .subresources = {kStatusSub}},
  };
}

std::vector<ResourceInfo> apps() {
  const unsigned workload = T::kGeneration | T::kStatus | T::kUnconditional;
  return {
      {.group = "apps",
       .version = "v1",
       .kind = "ControllerRevision",
       .plural = "controllerrevisions",
       .singular = "controllerrevision",
       .traits = T::kUnconditional},
      {.group = "apps",
       .version = "v1",
       .kind = "DaemonSet",
       .plural = "daemonsets",
       .singular = "daemonset",
       .short_names = {"ds"},
       .categories = {"all"},
       .traits = workload,
       .subresources = {kStatusSub}},
      {.group = "apps",
       .version = "v1",
       .kind = "Deployment",
       .plural = "deployments",
       .singular = "deployment",
       .short_names = {"deploy"},
       .categories = {"all"},
       .traits = workload,
       .subresources = {kScaleSub, kStatusSub}},
      {.group = "apps",
       .version = "v1",
       .kind = "ReplicaSet",
       .plural = "replicasets",
       .singular = "replicaset",
       .short_names = {"rs"},
       .categories = {"all"},
       .traits = workload,
       .subresources = {kScaleSub, kStatusSub}},
      {.group = "apps",
       .version = "v1",
       .kind = "StatefulSet",
       .plural = "statefulsets",
       .singular = "statefulset",
       .short_names = {"sts"},
       .categories = {"all"},
       .traits = workload,
       .subresources = {kScaleSub, kStatusSub}},
  };
}

std::vector<ResourceInfo> scaling_and_batch() {
  const unsigned workload = T::kGeneration | T::kStatus | T::kUnconditional;
  ResourceInfo hpa{.group = "autoscaling",
                   .version = "v2",
                   .kind = "HorizontalPodAutoscaler",
                   .plural = "horizontalpodautoscalers",
                   .singular = "horizontalpodautoscaler",
                   .short_names = {"hpa"},
                   .categories = {"all"},
                   .traits = T::kStatus | T::kUnconditional,
                   .subresources = {kStatusSub}};
  ResourceInfo hpa_v1 = hpa;
  hpa_v1.version = "v1";
  hpa_v1.storage_group = "autoscaling";
  hpa_v1.storage_version = "v2";
  return {
      std::move(hpa),
      std::move(hpa_v1),
      {.group = "batch",
       .version = "v1",
       .kind = "CronJob",
       .plural = "cronjobs",
       .singular = "cronjob",
       .short_names = {"cj"},
       .categories = {"all"},
       .traits = workload,
       .subresources = {kStatusSub}},
      {.group = "batch",
       .version = "v1",
       .kind = "Job",
       .plural = "jobs",
       .singular = "job",
       .categories = {"all"},
       .traits = workload,
       .subresources = {kStatusSub}},
  };
}

std::vector<ResourceInfo> network_and_policy() {
  return {
      cluster_wide({.group = "networking.k8s.io",
                    .version = "v1",
                    .kind = "IngressClass",
                    .plural = "ingressclasses",
                    .singular = "ingressclass",
                    .traits = T::kGeneration | T::kUnconditional}),
      {.group = "networking.k8s.io",
       .version = "v1",
       .kind = "Ingress",
       .plural = "ingresses",
       .singular = "ingress",
       .short_names = {"ing"},
       .traits = T::kGeneration | T::kStatus | T::kUnconditional,
       .subresources = {kStatusSub}},
      {.group = "networking.k8s.io",
       .version = "v1",
       .kind = "NetworkPolicy",
       .plural = "networkpolicies",
       .singular = "networkpolicy",
       .short_names = {"netpol"},
       .traits = T::kGeneration | T::kUnconditional},
      {.group = "policy",
       .version = "v1",
       .kind = "PodDisruptionBudget",
       .plural = "poddisruptionbudgets",
       .singular = "poddisruptionbudget",
       .short_names = {"pdb"},
       .traits = T::kGeneration | T::kStatus,
       .subresources = {kStatusSub}},
  };
}

std::vector<ResourceInfo> rbac() {
  const std::string group = "rbac.authorization.k8s.io";
  const unsigned traits = T::kPathName | T::kUnconditional;
  return {
      cluster_wide({.group = group,
                    .version = "v1",
                    .kind = "ClusterRoleBinding",
                    .plural = "clusterrolebindings",
                    .singular = "clusterrolebinding",
                    .traits = traits}),
      cluster_wide({.group = group,
                    .version = "v1",
                    .kind = "ClusterRole",
                    .plural = "clusterroles",
                    .singular = "clusterrole",
                    .traits = traits}),
      {.group = group,
       .version = "v1",
       .kind = "RoleBinding",
       .plural = "rolebindings",
       .singular = "rolebinding",
       .traits = traits},
      {.group = group, .version = "v1", .kind = "Role", .plural = "roles", .singular = "role", .traits = traits},
  };
}

std::vector<ResourceInfo> storage_classes() {
  const std::string group = "storage.k8s.io";
  return {
      cluster_wide({.group = group,
                    .version = "v1",
                    .kind = "CSIDriver",
                    .plural = "csidrivers",
                    .singular = "csidriver",
                    .traits = T::kReturnsDeleted}),
      cluster_wide({.group = group,
                    .version = "v1",
                    .kind = "CSINode",
                    .plural = "csinodes",
                    .singular = "csinode",
                    .traits = T::kReturnsDeleted}),
      {.group = group,
       .version = "v1",
       .kind = "CSIStorageCapacity",
       .plural = "csistoragecapacities",
       .singular = "csistoragecapacity",
       .traits = T::kReturnsDeleted | T::kUnconditional},
      cluster_wide({.group = group,
                    .version = "v1",
                    .kind = "StorageClass",
                    .plural = "storageclasses",
                    .singular = "storageclass",
                    .short_names = {"sc"},
                    .traits = T::kReturnsDeleted | T::kUnconditional}),
      cluster_wide({.group = group,
                    .version = "v1",
                    .kind = "VolumeAttachment",
                    .plural = "volumeattachments",
                    .singular = "volumeattachment",
                    .traits = T::kStatus | T::kReturnsDeleted,
                    .subresources = {kStatusSub}}),
  };
}

std::vector<ResourceInfo> extension() {
  const std::string admission = "admissionregistration.k8s.io";
  const unsigned traits = T::kGeneration;
  return {
      cluster_wide({.group = admission,
                    .version = "v1",
                    .kind = "MutatingWebhookConfiguration",
                    .plural = "mutatingwebhookconfigurations",
                    .singular = "mutatingwebhookconfiguration",
                    .categories = {"api-extensions"},
                    .traits = traits}),
      cluster_wide({.group = admission,
                    .version = "v1",
                    .kind = "ValidatingWebhookConfiguration",
                    .plural = "validatingwebhookconfigurations",
                    .singular = "validatingwebhookconfiguration",
                    .categories = {"api-extensions"},
                    .traits = traits}),
      cluster_wide({.group = "apiextensions.k8s.io",
                    .version = "v1",
                    .kind = "CustomResourceDefinition",
                    .plural = "customresourcedefinitions",
                    .singular = "customresourcedefinition",
                    .short_names = {"crd", "crds"},
                    .categories = {"api-extensions"},
                    .traits = T::kGeneration | T::kStatus,
                    .subresources = {kStatusSub}}),
      cluster_wide({.group = "scheduling.k8s.io",
                    .version = "v1",
                    .kind = "PriorityClass",
                    .plural = "priorityclasses",
                    .singular = "priorityclass",
                    .short_names = {"pc"},
                    .traits = T::kGeneration | T::kUnconditional}),
      {.group = "coordination.k8s.io", .version = "v1", .kind = "Lease", .plural = "leases", .singular = "lease"},
      {.group = "discovery.k8s.io",
       .version = "v1",
       .kind = "EndpointSlice",
       .plural = "endpointslices",
       .singular = "endpointslice",
       .traits = T::kGeneration | T::kUnconditional},
  };
}

std::vector<ResourceInfo> aggregated() {
  return {
      cluster_wide({.group = "apiregistration.k8s.io",
                    .version = "v1",
                    .kind = "APIService",
                    .plural = "apiservices",
                    .singular = "apiservice",
                    .categories = {"api-extensions"},
                    .traits = T::kStatus,
                    .subresources = {kStatusSub}}),
  };
}

std::vector<ResourceInfo> events_and_reviews() {
  return {
      {.group = "events.k8s.io",
       .version = "v1",
       .kind = "Event",
       .plural = "events",
       .singular = "event",
       .short_names = {"ev"},
       .traits = T::kUnconditional | T::kCreateOnUpdate,
       .storage_group = "",
       .storage_version = "v1"},
      review("authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews"),
      review("authentication.k8s.io", "TokenReview", "tokenreviews"),
      review("authorization.k8s.io", "LocalSubjectAccessReview", "localsubjectaccessreviews", true),
      review("authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews"),
      review("authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews"),
      review("authorization.k8s.io", "SubjectAccessReview", "subjectaccessreviews"),
  };
}

}  // namespace

std::vector<InfoPtr> builtin_resources() {
  static const std::vector<InfoPtr> kAll = [] {
    std::vector<InfoPtr> all;
    for (auto part : {core, aggregated, apps, events_and_reviews, scaling_and_batch, network_and_policy, rbac,
                      storage_classes, extension}) {
      for (ResourceInfo& info : part()) all.push_back(std::make_shared<const ResourceInfo>(std::move(info)));
    }
    return all;
  }();
  return kAll;
}

}  // namespace tenon::kubesim::apiserver
