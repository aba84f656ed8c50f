// SPDX-License-Identifier: Apache-2.0
#include "cli/install/objects.h"

#include "cli/install/chart_files.h"
#include "json/json.h"

namespace tenon::cli::install {
namespace {

using json::array;
using json::object;
using json::value;

void copy(const Chart& chart, object& to, std::string_view key, std::initializer_list<std::string_view> path) {
  if (const value* given = chart.given(path)) to[key] = *given;
}

object typed(std::string_view version, std::string_view kind) { return {{"apiVersion", version}, {"kind", kind}}; }

value port(std::string_view name, const value& number) {
  return object{{"name", name}, {"port", number}, {"targetPort", name}, {"protocol", "TCP"}};
}

object config_map(const Chart& chart, const std::string& name, object data) {
  object out = typed("v1", "ConfigMap");
  object meta = metadata(chart, name);
  meta["labels"].as_object()["app.kubernetes.io/part-of"] = "karpenter";
  out["metadata"] = std::move(meta);
  out["data"] = std::move(data);
  return out;
}

}  // namespace

object selector_labels(const Chart& chart) {
  return {{"app.kubernetes.io/name", chart.name()}, {"app.kubernetes.io/instance", chart.release()}};
}

void merge_into(object& base, const object& more) {
  for (const auto& item : more) {
    value& slot = base[item.key()];
    if (slot.is_object() && item.value().is_object()) {
      merge_into(slot.get_object(), item.value().get_object());
    } else if (slot.is_null() || (slot.is_bool() && !slot.get_bool()) || slot == value("") || slot == value(0)) {
      slot = item.value();
    }
  }
}

object metadata(const Chart& chart, const std::string& name, bool cluster_wide) {
  object labels = selector_labels(chart);
  labels["app.kubernetes.io/version"] = TENON_VERSION;
  labels["app.kubernetes.io/managed-by"] = "tenon";
  if (const value* more = chart.given({"additionalLabels"})) merge_into(labels, more->get_object());
  object out{{"name", name}};
  if (!cluster_wide) out["namespace"] = chart.ns();
  out["labels"] = std::move(labels);
  copy(chart, out, "annotations", {"additionalAnnotations"});
  return out;
}

value disruption_budget(const Chart& chart) {
  const std::string own = chart.text({"podDisruptionBudget", "name"});
  object out = typed("policy/v1", "PodDisruptionBudget");
  out["metadata"] = metadata(chart, own.empty() ? chart.fullname() : own);
  object spec;
  copy(chart, spec, "maxUnavailable", {"podDisruptionBudget", "maxUnavailable"});
  if (!spec.contains("maxUnavailable")) spec["maxUnavailable"] = 0;
  spec["selector"] = object{{"matchLabels", selector_labels(chart)}};
  out["spec"] = std::move(spec);
  return out;
}

// The annotations of one object count before those of all.
object annotated(const Chart& chart, object meta, std::initializer_list<std::string_view> path) {
  const value* own = chart.given(path);
  if (own == nullptr) return meta;
  object annotations = own->get_object();
  if (const value* all = meta.if_contains("annotations")) merge_into(annotations, all->get_object());
  meta["annotations"] = std::move(annotations);
  return meta;
}

std::vector<value> service_account(const Chart& chart) {
  if (!chart.given({"serviceAccount", "create"})) return {};
  object out = typed("v1", "ServiceAccount");
  out["metadata"] = annotated(chart, metadata(chart, chart.service_account()), {"serviceAccount", "annotations"});
  out["automountServiceAccountToken"] = false;  // the Deployment mounts it
  return {out};
}

value service(const Chart& chart) {
  object out = typed("v1", "Service");
  out["metadata"] = annotated(chart, metadata(chart, chart.fullname()), {"service", "annotations"});
  object spec{{"type", "ClusterIP"}};
  copy(chart, spec, "ipFamilyPolicy", {"service", "ipFamilyPolicy"});
  copy(chart, spec, "ipFamilies", {"service", "ipFamilies"});
  // A replica is ready once its caches are filled, for which the API server may need the webhooks.
  if (chart.webhooks()) spec["publishNotReadyAddresses"] = true;
  spec["selector"] = selector_labels(chart);
  array ports{port("http-metrics", *chart.given({"controller", "metrics", "port"}))};
  if (chart.webhooks()) ports.push_back(port("https-webhook", 8443));
  spec["ports"] = std::move(ports);
  out["spec"] = std::move(spec);
  return out;
}

object global_settings(const Chart& chart) {
  object data;
  if (const value* settings = chart.given({"settings", "aws"})) {
    for (const auto& item : settings->get_object()) {
      if (item.value().is_object() && item.value().get_object().empty()) continue;
      const std::string text =
          item.value().is_object() ? json::to_string(item.value()) : chart.text({"settings", "aws", item.key()});
      if (!text.empty()) data["aws." + std::string(item.key())] = text;
    }
  }
  const std::string drift = chart.text({"settings", "featureGates", "driftEnabled"});
  if (!drift.empty()) data["featureGates.driftEnabled"] = drift;
  return data;
}

std::vector<value> settings_of_v027(const Chart& chart) {
  if (!chart.provisioners()) return {};
  const std::string own = chart.text({"controller", "logLevel"});
  return {config_map(chart, "karpenter-global-settings", global_settings(chart)),
          config_map(chart, "config-logging", {{"loglevel.controller", own.empty() ? chart.text({"logLevel"}) : own}})};
}

std::vector<value> certificate(const Chart& chart) {
  if (!chart.webhooks()) return {};
  object out = typed("v1", "Secret");
  out["metadata"] = metadata(chart, chart.fullname() + "-cert");
  return {out};
}

std::vector<value> registrations(const Chart& chart) {
  if (!chart.webhooks() || !chart.provisioners()) return {};
  std::vector<value> out = chart_objects("v0.27.yaml");
  for (value& document : out) {
    document.as_object()["metadata"] =
        metadata(chart, std::string(json::string_at(document, {"metadata", "name"})), true);
    for (value& webhook : document.as_object()["webhooks"].as_array()) {
      value& target = json::ensure(webhook, {"clientConfig", "service"});
      target.as_object()["name"] = chart.fullname();
      target.as_object()["namespace"] = chart.ns();
    }
  }
  return out;
}

std::vector<value> service_monitor(const Chart& chart) {
  if (!chart.given({"serviceMonitor", "enabled"})) return {};
  object meta = metadata(chart, chart.fullname());
  if (const value* more = chart.given({"serviceMonitor", "additionalLabels"})) {
    merge_into(meta["labels"].as_object(), more->get_object());
  }
  object spec{{"namespaceSelector", object{{"matchNames", array{value(chart.ns())}}}},
              {"selector", object{{"matchLabels", selector_labels(chart)}}}};
  copy(chart, spec, "sampleLimit", {"serviceMonitor", "sampleLimit"});
  object endpoint{{"port", "http-metrics"}, {"path", "/metrics"}};
  copy(chart, endpoint, "relabelings", {"serviceMonitor", "relabelings"});
  copy(chart, endpoint, "metricRelabelings", {"serviceMonitor", "metricRelabelings"});
  if (const value* more = chart.given({"serviceMonitor", "endpointConfig"})) merge_into(endpoint, more->get_object());
  spec["endpoints"] = array{std::move(endpoint)};
  object out = typed("monitoring.coreos.com/v1", "ServiceMonitor");
  out["metadata"] = std::move(meta);
  out["spec"] = std::move(spec);
  return {out};
}

}  // namespace tenon::cli::install
