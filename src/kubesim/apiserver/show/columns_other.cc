// Table cells of the kinds of other groups. parity: printers.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::value;
using cells::column;
using json::int_at;
using json::string_at;

array budget_cells(const value& b, Instant now) {
  return {cells::name(b), cells::text_or(b, {"spec", "minAvailable"}, "N/A"),
          cells::text_or(b, {"spec", "maxUnavailable"}, "N/A"), int_at(b, {"status", "disruptionsAllowed"}),
          cells::age(b, now)};
}

// Returns "cpu: 12%/80%" for the specification and the current value of a metric. current: null if unknown.
std::string metric_text(const value& metric, const value* current) {
  const std::string type(string_at(metric, {"type"}));
  std::string field = type;
  if (!field.empty()) field[0] = static_cast<char>(field[0] + ('a' - 'A'));
  const bool resource = type == "Resource" || type == "ContainerResource";
  const auto now_of = [&](std::string_view what, std::string_view suffix) {
    const std::string text = current == nullptr ? "" : cells::text_or(*current, {field, "current", what}, "");
    return text.empty() ? std::string("<unknown>") : text + std::string(suffix);
  };
  std::string text;
  if (json::find(metric, {field, "target", "averageUtilization"}) != nullptr) {
    text = now_of("averageUtilization", "%") + "/" +
           cells::text_or(metric, {field, "target", "averageUtilization"}, "") + "%";
  } else if (json::find(metric, {field, "target", "averageValue"}) != nullptr) {
    text = now_of("averageValue", "") + "/" + cells::text_or(metric, {field, "target", "averageValue"}, "");
    if (!resource) text += " (avg)";
  } else {
    text = now_of("value", "") + "/" + cells::text_or(metric, {field, "target", "value"}, "");
  }
  return resource ? std::string(string_at(metric, {field, "name"})) + ": " + text : text;
}

array autoscaler_cells(const value& h, Instant now) {
  constexpr size_t kShown = 2;
  const auto& metrics = json::array_at(h, {"spec", "metrics"});
  const auto& current = json::array_at(h, {"status", "currentMetrics"});
  std::string targets;
  for (size_t i = 0; i < metrics.size() && i < kShown; ++i) {
    targets += (i == 0 ? "" : ", ") + metric_text(metrics[i], i < current.size() ? &current[i] : nullptr);
  }
  if (metrics.size() > kShown) targets += fmt::format(" + {} more...", metrics.size() - kShown);
  return {cells::name(h),
          std::string(string_at(h, {"spec", "scaleTargetRef", "kind"})) + "/" +
              std::string(string_at(h, {"spec", "scaleTargetRef", "name"})),
          targets.empty() ? "<none>" : targets,
          cells::text_or(h, {"spec", "minReplicas"}, "<unset>"),
          int_at(h, {"spec", "maxReplicas"}),
          int_at(h, {"status", "currentReplicas"}),
          cells::age(h, now)};
}

array lease_cells(const value& l, Instant now) {
  return {cells::name(l), string_at(l, {"spec", "holderIdentity"}), cells::age(l, now)};
}

array priority_class_cells(const value& p, Instant now) {
  return {cells::name(p), int_at(p, {"value"}), json::bool_at(p, {"globalDefault"}), cells::age(p, now),
          cells::text_or(p, {"preemptionPolicy"}, "PreemptLowerPriority")};
}

array storage_class_cells(const value& s, Instant now) {
  const bool chosen =
      string_at(s, {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}) == "true";
  return {cells::name(s) + (chosen ? " (default)" : ""),  string_at(s, {"provisioner"}),
          cells::text_or(s, {"reclaimPolicy"}, "Delete"), cells::text_or(s, {"volumeBindingMode"}, "Immediate"),
          json::bool_at(s, {"allowVolumeExpansion"}),     cells::age(s, now)};
}

array csi_node_cells(const value& n, Instant now) {
  return {cells::name(n), json::array_at(n, {"spec", "drivers"}).size(), cells::age(n, now)};
}

array csi_driver_cells(const value& d, Instant now) {
  std::string modes, tokens;
  for (const value& m : json::array_at(d, {"spec", "volumeLifecycleModes"})) {
    if (m.is_string()) modes += (modes.empty() ? "" : ",") + std::string(m.get_string());
  }
  for (const value& t : json::array_at(d, {"spec", "tokenRequests"})) {
    tokens += (tokens.empty() ? "" : ",") + std::string(string_at(t, {"audience"}));
  }
  return {cells::name(d),
          json::bool_at(d, {"spec", "attachRequired"}, true),
          json::bool_at(d, {"spec", "podInfoOnMount"}),
          json::bool_at(d, {"spec", "storageCapacity"}),
          tokens.empty() ? "<unset>" : tokens,
          json::bool_at(d, {"spec", "requiresRepublish"}),
          modes.empty() ? "<none>" : modes,
          cells::age(d, now)};
}

array attachment_cells(const value& v, Instant now) {
  return {cells::name(v),
          string_at(v, {"spec", "attacher"}),
          string_at(v, {"spec", "source", "persistentVolumeName"}),
          string_at(v, {"spec", "nodeName"}),
          json::bool_at(v, {"status", "attached"}),
          cells::age(v, now)};
}

array endpoint_slice_cells(const value& e, Instant now) {
  constexpr size_t kShown = 3;
  std::string ports, addresses;
  size_t count = 0;
  for (const value& port : json::array_at(e, {"ports"}))
    ports += (ports.empty() ? "" : ",") + cells::text_or(port, {"port"}, "*");
  for (const value& endpoint : json::array_at(e, {"endpoints"})) {
    for (const value& a : json::array_at(endpoint, {"addresses"})) {
      if (count++ < kShown && a.is_string()) addresses += (addresses.empty() ? "" : ",") + std::string(a.get_string());
    }
  }
  if (count > kShown) addresses += fmt::format(" + {} more...", count - kShown);
  return {cells::name(e), string_at(e, {"addressType"}), ports.empty() ? "<unset>" : ports,
          addresses.empty() ? "<unset>" : addresses, cells::age(e, now)};
}

array definition_cells(const value& c, Instant) {
  return {cells::name(c), string_at(c, {"metadata", "creationTimestamp"})};
}

array role_cells(const value& r, Instant) { return {cells::name(r), string_at(r, {"metadata", "creationTimestamp"})}; }

std::string subjects(const value& binding, std::string_view kind) {
  std::string text;
  for (const value& s : json::array_at(binding, {"subjects"})) {
    if (string_at(s, {"kind"}) != kind) continue;
    text += text.empty() ? "" : ", ";
    if (kind == "ServiceAccount") text += std::string(string_at(s, {"namespace"})) + "/";
    text += string_at(s, {"name"});
  }
  return text;
}

array binding_cells(const value& b, Instant now) {
  return {cells::name(b),
          std::string(string_at(b, {"roleRef", "kind"})) + "/" + std::string(string_at(b, {"roleRef", "name"})),
          cells::age(b, now),
          subjects(b, "User"),
          subjects(b, "Group"),
          subjects(b, "ServiceAccount")};
}

array revision_cells(const value& r, Instant now) {
  std::string controller = "<none>";
  for (const value& owner : json::array_at(r, {"metadata", "ownerReferences"})) {
    if (!json::bool_at(owner, {"controller"})) continue;
    controller = std::string(string_at(owner, {"kind"})) + "/" + std::string(string_at(owner, {"name"}));
    for (char& c : controller) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    const std::string_view api = string_at(owner, {"apiVersion"});
    const std::string group(api.substr(0, api.find('/') == std::string_view::npos ? 0 : api.find('/')));
    if (!group.empty()) controller.insert(controller.find('/'), "." + group);
  }
  return {cells::name(r), controller, int_at(r, {"revision"}), cells::age(r, now)};
}

array webhook_cells(const value& w, Instant now) {
  return {cells::name(w), json::array_at(w, {"webhooks"}).size(), cells::age(w, now)};
}

array api_service_cells(const value& a, Instant now) {
  const std::string service = json::find(a, {"spec", "service"}) == nullptr
                                  ? "Local"
                                  : std::string(string_at(a, {"spec", "service", "namespace"})) + "/" +
                                        std::string(string_at(a, {"spec", "service", "name"}));
  std::string available = "Unknown";
  for (const value& c : json::array_at(a, {"status", "conditions"})) {
    if (string_at(c, {"type"}) != "Available") continue;
    available = string_at(c, {"status"});
    if (available != "True") available += " (" + std::string(string_at(c, {"reason"})) + ")";
  }
  return {cells::name(a), service, available, cells::age(a, now)};
}

array network_policy_cells(const value& n, Instant now) {
  return {cells::name(n), cells::selector(json::find(n, {"spec", "podSelector"})), cells::age(n, now)};
}

array ingress_class_cells(const value& i, Instant now) {
  std::string parameters = "<none>";
  if (json::find(i, {"spec", "parameters"}) != nullptr) {
    parameters = string_at(i, {"spec", "parameters", "kind"});
    if (const auto group = string_at(i, {"spec", "parameters", "apiGroup"}); !group.empty())
      parameters += "." + std::string(group);
    parameters += "/" + std::string(string_at(i, {"spec", "parameters", "name"}));
  }
  return {cells::name(i), string_at(i, {"spec", "controller"}), parameters, cells::age(i, now)};
}

array ingress_cells(const value& i, Instant now) {
  std::string hosts, addresses;
  for (const value& rule : json::array_at(i, {"spec", "rules"})) {
    const std::string_view host = string_at(rule, {"host"});
    if (!host.empty()) hosts += (hosts.empty() ? "" : ",") + std::string(host);
  }
  for (const value& a : json::array_at(i, {"status", "loadBalancer", "ingress"})) {
    addresses += (addresses.empty() ? "" : ",") + cells::text_or(a, {"ip"}, string_at(a, {"hostname"}));
  }
  return {cells::name(i), cells::text_or(i, {"spec", "ingressClassName"}, "<none>"),     hosts.empty() ? "*" : hosts,
          addresses,      json::array_at(i, {"spec", "tls"}).empty() ? "80" : "80, 443", cells::age(i, now)};
}

}  // namespace

const std::vector<KindColumns>& other_columns() {
  static const std::vector<PrinterColumn> kBinding = {column("Name"),
                                                      column("Role"),
                                                      column("Age"),
                                                      column("Users", "string", 1),
                                                      column("Groups", "string", 1),
                                                      column("ServiceAccounts", "string", 1)};
  static const std::vector<PrinterColumn> kCreated = {column("Name"), column("Created At", "date")};
  static const std::vector<PrinterColumn> kWebhooks = {column("Name"), column("Webhooks", "integer"), column("Age")};
  static const std::vector<KindColumns> kTable = {
      {"policy",
       "PodDisruptionBudget",
       {column("Name"), column("Min Available"), column("Max Unavailable"), column("Allowed Disruptions", "integer"),
        column("Age")},
       budget_cells},
      {"autoscaling",
       "HorizontalPodAutoscaler",
       {column("Name"), column("Reference"), column("Targets"), column("MinPods"), column("MaxPods"),
        column("Replicas"), column("Age")},
       autoscaler_cells},
      {"coordination.k8s.io", "Lease", {column("Name"), column("Holder"), column("Age")}, lease_cells},
      {"scheduling.k8s.io",
       "PriorityClass",
       {column("Name"), column("Value", "integer"), column("Global-Default", "boolean"), column("Age"),
        column("PreemptionPolicy")},
       priority_class_cells},
      {"storage.k8s.io",
       "StorageClass",
       {column("Name"), column("Provisioner"), column("ReclaimPolicy"), column("VolumeBindingMode"),
        column("AllowVolumeExpansion", "boolean"), column("Age")},
       storage_class_cells},
      {"storage.k8s.io", "CSINode", {column("Name"), column("Drivers", "integer"), column("Age")}, csi_node_cells},
      {"storage.k8s.io",
       "CSIDriver",
       {column("Name"), column("AttachRequired", "boolean"), column("PodInfoOnMount", "boolean"),
        column("StorageCapacity", "boolean"), column("TokenRequests"), column("RequiresRepublish", "boolean"),
        column("Modes"), column("Age")},
       csi_driver_cells},
      {"storage.k8s.io",
       "VolumeAttachment",
       {column("Name"), column("Attacher"), column("PV"), column("Node"), column("Attached", "boolean"), column("Age")},
       attachment_cells},
      {"discovery.k8s.io",
       "EndpointSlice",
       {column("Name"), column("AddressType"), column("Ports"), column("Endpoints"), column("Age")},
       endpoint_slice_cells},
      {"apiextensions.k8s.io", "CustomResourceDefinition", kCreated, definition_cells},
      {"rbac.authorization.k8s.io", "Role", kCreated, role_cells},
      {"rbac.authorization.k8s.io", "ClusterRole", kCreated, role_cells},
      {"rbac.authorization.k8s.io", "RoleBinding", kBinding, binding_cells},
      {"rbac.authorization.k8s.io", "ClusterRoleBinding", kBinding, binding_cells},
      {"apps",
       "ControllerRevision",
       {column("Name"), column("Controller"), column("Revision", "integer"), column("Age")},
       revision_cells},
      {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", kWebhooks, webhook_cells},
      {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", kWebhooks, webhook_cells},
      {"apiregistration.k8s.io",
       "APIService",
       {column("Name"), column("Service"), column("Available"), column("Age")},
       api_service_cells},
      {"networking.k8s.io",
       "NetworkPolicy",
       {column("Name"), column("Pod-Selector"), column("Age")},
       network_policy_cells},
      {"networking.k8s.io",
       "IngressClass",
       {column("Name"), column("Controller"), column("Parameters"), column("Age")},
       ingress_class_cells},
      {"networking.k8s.io",
       "Ingress",
       {column("Name"), column("Class"), column("Hosts"), column("Address"), column("Ports"), column("Age")},
       ingress_cells},
  };
  return kTable;
}

}  // namespace tenon::kubesim::apiserver
