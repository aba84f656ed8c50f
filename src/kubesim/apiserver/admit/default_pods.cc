// Defaults of pods. parity: pkg/apis/core/v1/defaults.go
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kubesim/apiserver/admit/default_values.h"
#include "kubesim/apiserver/base/limits.h"

namespace tenon::kubesim::apiserver::defaults {
namespace {

// Whether the default pull policy is Always ("nginx", "nginx:latest"), not IfNotPresent ("nginx:1.25", digests).
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
  limits = child(*resources, "limits");  // fill() may have moved it
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

}  // namespace

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

}  // namespace tenon::kubesim::apiserver::defaults
