// The functions of data/kubernetes/columns/other.txt: cells of the kinds of other groups. parity: printers.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/show/columns.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::int_at;
using json::string_at;

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

value autoscaler_targets(const value& h, const CellInput&) {
  constexpr size_t kShown = 2;
  const auto& metrics = json::array_at(h, {"spec", "metrics"});
  const auto& current = json::array_at(h, {"status", "currentMetrics"});
  std::string targets;
  for (size_t i = 0; i < metrics.size() && i < kShown; ++i) {
    targets += (i == 0 ? "" : ", ") + metric_text(metrics[i], i < current.size() ? &current[i] : nullptr);
  }
  if (metrics.size() > kShown) targets += fmt::format(" + {} more...", metrics.size() - kShown);
  return value(targets.empty() ? "<none>" : targets);
}

value storage_class_name(const value& s, const CellInput&) {
  const bool chosen =
      string_at(s, {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}) == "true";
  return value(cells::name(s) + (chosen ? " (default)" : ""));
}

// A driver requires attachment unless it says no.
value csi_driver_attach_required(const value& d, const CellInput&) {
  return json::bool_at(d, {"spec", "attachRequired"}, true);
}

value csi_driver_modes(const value& d, const CellInput&) {
  std::string modes;
  for (const value& m : json::array_at(d, {"spec", "volumeLifecycleModes"})) {
    if (m.is_string()) modes += (modes.empty() ? "" : ",") + std::string(m.get_string());
  }
  return value(modes.empty() ? "<none>" : modes);
}

value csi_driver_tokens(const value& d, const CellInput&) {
  std::string tokens;
  for (const value& t : json::array_at(d, {"spec", "tokenRequests"})) {
    tokens += (tokens.empty() ? "" : ",") + std::string(string_at(t, {"audience"}));
  }
  return value(tokens.empty() ? "<unset>" : tokens);
}

value endpoint_slice_ports(const value& e, const CellInput&) {
  std::string ports;
  for (const value& port : json::array_at(e, {"ports"}))
    ports += (ports.empty() ? "" : ",") + cells::text_or(port, {"port"}, "*");
  return value(ports.empty() ? "<unset>" : ports);
}

value endpoint_slice_addresses(const value& e, const CellInput&) {
  constexpr size_t kShown = 3;
  std::string addresses;
  size_t count = 0;
  for (const value& endpoint : json::array_at(e, {"endpoints"})) {
    for (const value& a : json::array_at(endpoint, {"addresses"})) {
      if (count++ < kShown && a.is_string()) addresses += (addresses.empty() ? "" : ",") + std::string(a.get_string());
    }
  }
  if (count > kShown) addresses += fmt::format(" + {} more...", count - kShown);
  return value(addresses.empty() ? "<unset>" : addresses);
}

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

value binding_users(const value& b, const CellInput&) { return value(subjects(b, "User")); }
value binding_groups(const value& b, const CellInput&) { return value(subjects(b, "Group")); }
value binding_service_accounts(const value& b, const CellInput&) { return value(subjects(b, "ServiceAccount")); }

value revision_controller(const value& r, const CellInput&) {
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
  return value(controller);
}

value api_service_service(const value& a, const CellInput&) {
  if (json::find(a, {"spec", "service"}) == nullptr) return value("Local");
  return value(std::string(string_at(a, {"spec", "service", "namespace"})) + "/" +
               std::string(string_at(a, {"spec", "service", "name"})));
}

value api_service_available(const value& a, const CellInput&) {
  std::string available = "Unknown";
  for (const value& c : json::array_at(a, {"status", "conditions"})) {
    if (string_at(c, {"type"}) != "Available") continue;
    available = string_at(c, {"status"});
    if (available != "True") available += " (" + std::string(string_at(c, {"reason"})) + ")";
  }
  return value(available);
}

value ingress_class_parameters(const value& i, const CellInput&) {
  std::string parameters = "<none>";
  if (json::find(i, {"spec", "parameters"}) != nullptr) {
    parameters = string_at(i, {"spec", "parameters", "kind"});
    if (const auto group = string_at(i, {"spec", "parameters", "apiGroup"}); !group.empty())
      parameters += "." + std::string(group);
    parameters += "/" + std::string(string_at(i, {"spec", "parameters", "name"}));
  }
  return value(parameters);
}

value ingress_hosts(const value& i, const CellInput&) {
  std::string hosts;
  for (const value& rule : json::array_at(i, {"spec", "rules"})) {
    const std::string_view host = string_at(rule, {"host"});
    if (!host.empty()) hosts += (hosts.empty() ? "" : ",") + std::string(host);
  }
  return value(hosts.empty() ? "*" : hosts);
}

value ingress_addresses(const value& i, const CellInput&) {
  std::string addresses;
  for (const value& a : json::array_at(i, {"status", "loadBalancer", "ingress"})) {
    addresses += (addresses.empty() ? "" : ",") + cells::text_or(a, {"ip"}, string_at(a, {"hostname"}));
  }
  return value(addresses);
}

value ingress_ports(const value& i, const CellInput&) {
  return value(json::array_at(i, {"spec", "tls"}).empty() ? "80" : "80, 443");
}

}  // namespace

std::span<const CellFunction> other_cells() {
  static constexpr CellFunction kFunctions[] = {{"autoscaler_targets", autoscaler_targets},
                                                {"storage_class_name", storage_class_name},
                                                {"csi_driver_attach_required", csi_driver_attach_required},
                                                {"csi_driver_modes", csi_driver_modes},
                                                {"csi_driver_tokens", csi_driver_tokens},
                                                {"endpoint_slice_ports", endpoint_slice_ports},
                                                {"endpoint_slice_addresses", endpoint_slice_addresses},
                                                {"binding_users", binding_users},
                                                {"binding_groups", binding_groups},
                                                {"binding_service_accounts", binding_service_accounts},
                                                {"revision_controller", revision_controller},
                                                {"api_service_service", api_service_service},
                                                {"api_service_available", api_service_available},
                                                {"ingress_class_parameters", ingress_class_parameters},
                                                {"ingress_hosts", ingress_hosts},
                                                {"ingress_addresses", ingress_addresses},
                                                {"ingress_ports", ingress_ports}};
  return kFunctions;
}

}  // namespace tenon::kubesim::apiserver
