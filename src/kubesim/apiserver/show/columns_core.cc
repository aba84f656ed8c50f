// The functions of data/kubernetes/columns/core.txt: cells of nodes, services, volumes and the other kinds of the core
// group. parity: printers.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "json/json.h"
#include "kubesim/apiserver/show/columns.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::int_at;
using json::string_at;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

value node_status(const value& node, const CellInput&) {
  std::string status = "Unknown";
  for (const value& c : json::array_at(node, {"status", "conditions"})) {
    if (string_at(c, {"type"}) == "Ready") status = string_at(c, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  return value(json::bool_at(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status);
}

value node_roles(const value& node, const CellInput&) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& label : json::object_at(node, {"metadata", "labels"})) {
    const std::string_view key = label.key();
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.emplace(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role" && label.value().is_string()) roles.emplace(label.value().get_string());
  }
  return value(roles.empty() ? "<none>" : joined({roles.begin(), roles.end()}));
}

std::string node_address(const value& node, std::string_view type) {
  for (const value& a : json::array_at(node, {"status", "addresses"})) {
    if (string_at(a, {"type"}) == type) return std::string(string_at(a, {"address"}));
  }
  return "<none>";
}

value node_internal_ip(const value& node, const CellInput&) { return value(node_address(node, "InternalIP")); }
value node_external_ip(const value& node, const CellInput&) { return value(node_address(node, "ExternalIP")); }

std::string load_balancer_addresses(const value& service) {
  std::vector<std::string> found;
  for (const value& i : json::array_at(service, {"status", "loadBalancer", "ingress"})) {
    found.push_back(cells::text_or(i, {"ip"}, string_at(i, {"hostname"})));
  }
  return joined(found);
}

value service_external_ip(const value& service, const CellInput&) {
  std::vector<std::string> ips;
  for (const value& ip : json::array_at(service, {"spec", "externalIPs"})) {
    if (ip.is_string()) ips.emplace_back(ip.get_string());
  }
  const std::string_view type = string_at(service, {"spec", "type"});
  if (type == "ExternalName") return value(cells::text_or(service, {"spec", "externalName"}, "<none>"));
  if (type == "LoadBalancer") {
    std::string addresses = load_balancer_addresses(service);
    if (!ips.empty()) addresses += (addresses.empty() ? "" : ",") + joined(ips);
    return value(addresses.empty() ? "<pending>" : addresses);
  }
  return value(ips.empty() ? "<none>" : joined(ips));
}

value service_ports(const value& service, const CellInput&) {
  std::vector<std::string> ports;
  for (const value& port : json::array_at(service, {"spec", "ports"})) {
    std::string text = std::to_string(int_at(port, {"port"}));
    if (int_at(port, {"nodePort"}) > 0) text += ":" + std::to_string(int_at(port, {"nodePort"}));
    ports.push_back(text + "/" + cells::text_or(port, {"protocol"}, "TCP"));
  }
  return value(ports.empty() ? "<none>" : joined(ports));
}

value endpoints_addresses(const value& endpoints, const CellInput&) {
  std::vector<std::string> all;
  for (const value& subset : json::array_at(endpoints, {"subsets"})) {
    for (const value& address : json::array_at(subset, {"addresses"})) {
      const std::string ip(string_at(address, {"ip"}));
      for (const value& port : json::array_at(subset, {"ports"}))
        all.push_back(fmt::format("{}:{}", ip, int_at(port, {"port"})));
      if (json::array_at(subset, {"ports"}).empty()) all.push_back(ip);
    }
  }
  constexpr size_t kShown = 3;
  const size_t more = all.size() > kShown ? all.size() - kShown : 0;
  if (more != 0) all.resize(kShown);
  std::string text = all.empty() ? "<none>" : joined(all);
  if (more != 0) text += fmt::format(" + {} more...", more);
  return value(text);
}

value config_map_size(const value& map, const CellInput&) {
  return json::object_at(map, {"data"}).size() + json::object_at(map, {"binaryData"}).size();
}

// Returns the time of an old field of events, or the eventTime that replaced it.
std::string event_time(const value& event, std::string_view field) {
  std::string_view time = string_at(event, {field});
  if (time.empty()) time = string_at(event, {"eventTime"});
  return std::string(time);
}

value event_last_seen(const value& event, const CellInput& input) {
  const std::string series(string_at(event, {"series", "lastObservedTime"}));
  return value(cells::since(series.empty() ? event_time(event, "lastTimestamp") : series, input.now));
}

value event_first_seen(const value& event, const CellInput& input) {
  return value(cells::since(event_time(event, "firstTimestamp"), input.now));
}

value event_count(const value& event, const CellInput&) {
  const int64_t series = int_at(event, {"series", "count"});
  return series != 0 ? series : std::max<int64_t>(int_at(event, {"count"}), 1);
}

value event_object(const value& event, const CellInput&) {
  std::string object(string_at(event, {"involvedObject", "kind"}));
  std::transform(object.begin(), object.end(), object.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (!string_at(event, {"involvedObject", "name"}).empty())
    object += "/" + std::string(string_at(event, {"involvedObject", "name"}));
  return value(object);
}

value event_source(const value& event, const CellInput&) {
  std::string source(string_at(event, {"source", "component"}));
  if (source.empty()) source = string_at(event, {"reportingComponent"});
  if (!string_at(event, {"source", "host"}).empty()) source += ", " + std::string(string_at(event, {"source", "host"}));
  return value(source);
}

std::string access_modes(const value& object, std::initializer_list<std::string_view> path) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> modes;
  for (const auto& [mode, text] : kShort) {
    const auto& all = json::array_at(object, path);
    if (std::any_of(all.begin(), all.end(), [&](const value& v) { return v == value(mode); })) modes.emplace_back(text);
  }
  return joined(modes);
}

// The phase of a claim or volume.
value phase_or_terminating(const value& object, const CellInput&) {
  const bool deleting = json::find(object, {"metadata", "deletionTimestamp"}) != nullptr;
  return value(deleting ? "Terminating" : string_at(object, {"status", "phase"}));
}

bool is_bound(const value& claim) { return !string_at(claim, {"spec", "volumeName"}).empty(); }

value claim_capacity(const value& claim, const CellInput&) {
  return value(is_bound(claim) ? cells::text_or(claim, {"status", "capacity", "storage"}, "") : "");
}

value claim_access_modes(const value& claim, const CellInput&) {
  return value(is_bound(claim) ? access_modes(claim, {"status", "accessModes"}) : "");
}

value volume_access_modes(const value& volume, const CellInput&) {
  return value(access_modes(volume, {"spec", "accessModes"}));
}

value volume_claim(const value& volume, const CellInput&) {
  if (json::find(volume, {"spec", "claimRef"}) == nullptr) return value("");
  return value(std::string(string_at(volume, {"spec", "claimRef", "namespace"})) + "/" +
               std::string(string_at(volume, {"spec", "claimRef", "name"})));
}

std::string quota_list(const value& quota, bool requests) {
  std::vector<std::string> parts;
  for (const auto& hard : json::object_at(quota, {"status", "hard"})) {
    const std::string_view key = hard.key();
    if (key.starts_with("limits.") == requests) continue;
    parts.push_back(fmt::format("{}: {}/{}", key, cells::text_or(quota, {"status", "used", key}, "0"),
                                cells::text_or(quota, {"status", "hard", key}, "")));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

value quota_requests(const value& quota, const CellInput&) { return value(quota_list(quota, true)); }
value quota_limits(const value& quota, const CellInput&) { return value(quota_list(quota, false)); }

}  // namespace

std::span<const CellFunction> core_cells() {
  static constexpr CellFunction kFunctions[] = {{"node_status", node_status},
                                                {"node_roles", node_roles},
                                                {"node_internal_ip", node_internal_ip},
                                                {"node_external_ip", node_external_ip},
                                                {"service_external_ip", service_external_ip},
                                                {"service_ports", service_ports},
                                                {"endpoints_addresses", endpoints_addresses},
                                                {"config_map_size", config_map_size},
                                                {"event_last_seen", event_last_seen},
                                                {"event_first_seen", event_first_seen},
                                                {"event_count", event_count},
                                                {"event_object", event_object},
                                                {"event_source", event_source},
                                                {"phase_or_terminating", phase_or_terminating},
                                                {"claim_capacity", claim_capacity},
                                                {"claim_access_modes", claim_access_modes},
                                                {"volume_access_modes", volume_access_modes},
                                                {"volume_claim", volume_claim},
                                                {"quota_requests", quota_requests},
                                                {"quota_limits", quota_limits}};
  return kFunctions;
}

}  // namespace tenon::kubesim::apiserver
