// SPDX-License-Identifier: Apache-2.0
#include "cli/install/deployment.h"

#include <algorithm>

#include "aws/sigv4.h"
#include "base/text.h"
#include "cli/install/chart_options.h"
#include "cli/install/objects.h"
#include "json/json.h"

namespace tenon::cli::install {
namespace {

using json::array;
using json::object;
using json::value;

constexpr int64_t kUser = 65532;  // as in Karpenter's image: no user of the node

void copy(const Chart& chart, object& to, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const value* given = chart.given({key})) to[key] = *given;
  }
}

std::string own_or(const Chart& chart, std::string_view own, std::string_view otherwise) {
  const std::string text = chart.text({"controller", own});
  return text.empty() ? chart.text({otherwise}) : text;
}

// "stdout,/var/log/tenon.log"
std::string joined(const Chart& chart, std::string_view list) {
  std::vector<std::string> parts;
  if (const value* given = chart.given({list})) {
    for (const value& part : given->as_array()) parts.emplace_back(part.as_string());
  }
  return join(parts, ",");
}

// NodeRepair=true for nodeRepair: true, sorted. driftEnabled belongs to the ConfigMap of v0.27.
std::string feature_gates(const Chart& chart) {
  std::vector<std::string> gates;
  if (const value* given = chart.given({"settings", "featureGates"})) {
    for (const auto& item : given->get_object()) {
      std::string name(item.key());
      const std::string state = chart.text({"settings", "featureGates", item.key()});
      if (name == "driftEnabled" || state.empty()) continue;
      if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
      gates.push_back(name + "=" + state);
    }
  }
  std::sort(gates.begin(), gates.end());
  return join(gates, ",");
}

array environment(const Chart& chart) {
  array out;
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) out.push_back(object{{"name", name}, {"value", text}});
  };
  add("KARPENTER_SERVICE", chart.fullname());
  out.push_back(object{{"name", "SYSTEM_NAMESPACE"},
                       {"valueFrom", object{{"fieldRef", object{{"fieldPath", "metadata.namespace"}}}}}});
  add("METRICS_PORT", chart.text({"controller", "metrics", "port"}));
  add("HEALTH_PROBE_PORT", chart.text({"controller", "healthProbe", "port"}));
  add("LOG_LEVEL", own_or(chart, "logLevel", "logLevel"));
  add("LOG_OUTPUT_PATHS", joined(chart, "logOutputPaths"));
  add("LOG_ERROR_OUTPUT_PATHS", joined(chart, "logErrorOutputPaths"));
  if (chart.webhooks()) {
    add("WEBHOOK_PORT", chart.text({"webhook", "port"}));
  } else {
    add("DISABLE_WEBHOOK", "true");
  }
  add("FEATURE_GATES", feature_gates(chart));
  for (const ChartOption& option : chart_options()) {
    if (!option.variable.empty()) add(option.variable, chart.text({"settings", option.value}));
  }
  return out;
}

object probe(std::string_view path, int64_t delay) {
  constexpr int64_t kTimeout = 30;  // seconds
  return {{"initialDelaySeconds", delay},
          {"timeoutSeconds", kTimeout},
          {"httpGet", object{{"path", path}, {"port", "http"}}}};
}

object security(const Chart& chart) {
  object out{{"privileged", false},
             {"allowPrivilegeEscalation", false},
             {"readOnlyRootFilesystem", true},
             {"runAsNonRoot", true},
             {"runAsUser", kUser},
             {"runAsGroup", kUser},
             {"capabilities", object{{"drop", array{"ALL"}}}}};
  if (const value* more = chart.given({"controller", "securityContext"})) merge_into(out, more->get_object());
  return out;
}

array ports(const Chart& chart) {
  const auto port = [&](std::string_view name, std::initializer_list<std::string_view> path) {
    return object{{"name", name}, {"containerPort", *chart.given(path)}, {"protocol", "TCP"}};
  };
  array out{port("http-metrics", {"controller", "metrics", "port"}),
            port("http", {"controller", "healthProbe", "port"})};
  if (chart.webhooks()) out.push_back(port("https-webhook", {"webhook", "port"}));
  return out;
}

Result<object> container(const Chart& chart) {
  const std::string encoding = chart.text({"controller", "logEncoding"});
  const std::string format = encoding.empty() ? chart.text({"logFormat"}) : encoding;
  object out{{"name", chart.text({"controller", "containerName"})}};
  out["image"] = TRY(chart.image());
  out["imagePullPolicy"] = chart.given({"image", "local"}) ? "Never" : chart.text({"imagePullPolicy"});
  out["args"] = array{"controller", value("--log-format=" + format)};
  out["securityContext"] = security(chart);
  out["env"] = environment(chart);
  out["ports"] = ports(chart);
  out["livenessProbe"] = probe("/healthz", 30);
  out["readinessProbe"] = probe("/readyz", 5);
  if (const value* resources = chart.given({"controller", "resources"})) out["resources"] = *resources;
  return out;
}

// The terms, each with the pods of the release as its selector unless it has one.
value with_selector(const Chart& chart, value terms) {
  for (value& term : terms.as_array()) {
    object& fields = term.as_object();
    if (!fields.contains("labelSelector")) fields["labelSelector"] = object{{"matchLabels", selector_labels(chart)}};
  }
  return terms;
}

object pod_spec(const Chart& chart, object container) {
  object out;
  copy(chart, out,
       {"imagePullSecrets", "priorityClassName", "terminationGracePeriodSeconds", "dnsPolicy", "dnsConfig",
        "hostNetwork", "schedulerName", "nodeSelector", "affinity", "tolerations"});
  out["automountServiceAccountToken"] = true;
  out["serviceAccountName"] = chart.service_account();
  if (const value* context = chart.given({"podSecurityContext"})) out["securityContext"] = *context;
  out["containers"] = array{std::move(container)};
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    value* affinity = out.if_contains("affinity");
    value* terms = affinity ? json::find(*affinity, {kind, "requiredDuringSchedulingIgnoredDuringExecution"}) : nullptr;
    if (terms != nullptr) *terms = with_selector(chart, *terms);
  }
  if (const value* spread = chart.given({"topologySpreadConstraints"})) {
    out["topologySpreadConstraints"] = with_selector(chart, *spread);
  }
  return out;
}

// JSON with sorted keys, so that the sum depends on the settings alone.
std::string checksum(const Chart& chart) {
  const object data = global_settings(chart);
  std::vector<std::string> keys;
  for (const auto& item : data) keys.emplace_back(item.key());
  std::sort(keys.begin(), keys.end());
  object sorted;
  for (const std::string& key : keys) sorted[key] = data.at(key);
  return aws::sha256_hex(json::to_string(sorted));
}

}  // namespace

Result<value> deployment(const Chart& chart) {
  object labels = selector_labels(chart), annotations;
  if (const value* more = chart.given({"podLabels"})) merge_into(labels, more->get_object());
  if (const value* more = chart.given({"podAnnotations"})) annotations = more->get_object();
  // The ConfigMap is read at the start: a change restarts the replicas.
  if (chart.provisioners()) annotations["checksum/settings"] = checksum(chart);
  object meta{{"labels", std::move(labels)}};
  if (!annotations.empty()) meta["annotations"] = std::move(annotations);

  object spec;
  for (const std::string_view key : {"replicas", "revisionHistoryLimit"}) {
    const value* given = chart.given({key});
    spec[key] = given ? *given : value(0);
  }
  copy(chart, spec, {"strategy"});
  spec["selector"] = object{{"matchLabels", selector_labels(chart)}};
  spec["template"] = object{{"metadata", std::move(meta)}, {"spec", pod_spec(chart, TRY(container(chart)))}};
  return object{{"apiVersion", "apps/v1"},
                {"kind", "Deployment"},
                {"metadata", metadata(chart, chart.fullname())},
                {"spec", std::move(spec)}};
}

}  // namespace tenon::cli::install
