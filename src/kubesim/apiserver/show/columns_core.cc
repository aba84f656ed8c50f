// Table cells of nodes, services, volumes and the other kinds of the core group. parity: printers.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "json/json.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::value;
using cells::column;
using json::int_at;
using json::string_at;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string node_status(const value& node) {
  std::string status = "Unknown";
  for (const value& c : json::array_at(node, {"status", "conditions"})) {
    if (string_at(c, {"type"}) == "Ready") status = string_at(c, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  return json::bool_at(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& label : json::object_at(node, {"metadata", "labels"})) {
    const std::string_view key = label.key();
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.emplace(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role" && label.value().is_string()) roles.emplace(label.value().get_string());
  }
  return roles.empty() ? "<none>" : joined({roles.begin(), roles.end()});
}

std::string node_address(const value& node, std::string_view type) {
  for (const value& a : json::array_at(node, {"status", "addresses"})) {
    if (string_at(a, {"type"}) == type) return std::string(string_at(a, {"address"}));
  }
  return "<none>";
}

array node_cells(const value& node, Instant now) {
  return {cells::name(node),
          node_status(node),
          node_roles(node),
          cells::age(node, now),
          string_at(node, {"status", "nodeInfo", "kubeletVersion"}),
          node_address(node, "InternalIP"),
          node_address(node, "ExternalIP"),
          cells::text_or(node, {"status", "nodeInfo", "osImage"}, "<unknown>"),
          cells::text_or(node, {"status", "nodeInfo", "kernelVersion"}, "<unknown>"),
          cells::text_or(node, {"status", "nodeInfo", "containerRuntimeVersion"}, "<unknown>")};
}

array namespace_cells(const value& ns, Instant now) {
  return {cells::name(ns), string_at(ns, {"status", "phase"}), cells::age(ns, now)};
}

std::string load_balancer_addresses(const value& service) {
  std::vector<std::string> found;
  for (const value& i : json::array_at(service, {"status", "loadBalancer", "ingress"})) {
    found.push_back(cells::text_or(i, {"ip"}, string_at(i, {"hostname"})));
  }
  return joined(found);
}

std::string external_address(const value& service) {
  std::vector<std::string> ips;
  for (const value& ip : json::array_at(service, {"spec", "externalIPs"})) {
    if (ip.is_string()) ips.emplace_back(ip.get_string());
  }
  const std::string_view type = string_at(service, {"spec", "type"});
  if (type == "ExternalName") return cells::text_or(service, {"spec", "externalName"}, "<none>");
  if (type == "LoadBalancer") {
    std::string addresses = load_balancer_addresses(service);
    if (!ips.empty()) addresses += (addresses.empty() ? "" : ",") + joined(ips);
    return addresses.empty() ? "<pending>" : addresses;
  }
  return ips.empty() ? "<none>" : joined(ips);
}

array service_cells(const value& service, Instant now) {
  std::vector<std::string> ports;
  for (const value& port : json::array_at(service, {"spec", "ports"})) {
    std::string text = std::to_string(int_at(port, {"port"}));
    if (int_at(port, {"nodePort"}) > 0) text += ":" + std::to_string(int_at(port, {"nodePort"}));
    ports.push_back(text + "/" + cells::text_or(port, {"protocol"}, "TCP"));
  }
  return {cells::name(service),
          string_at(service, {"spec", "type"}),
          cells::text_or(service, {"spec", "clusterIP"}, "<none>"),
          external_address(service),
          ports.empty() ? "<none>" : joined(ports),
          cells::age(service, now),
          cells::labels(json::find(service, {"spec", "selector"}))};
}

array endpoints_cells(const value& endpoints, Instant now) {
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
  return {cells::name(endpoints), text, cells::age(endpoints, now)};
}

array config_map_cells(const value& map, Instant now) {
  return {cells::name(map), json::object_at(map, {"data"}).size() + json::object_at(map, {"binaryData"}).size(),
          cells::age(map, now)};
}

array secret_cells(const value& secret, Instant now) {
  return {cells::name(secret), string_at(secret, {"type"}), json::object_at(secret, {"data"}).size(),
          cells::age(secret, now)};
}

array service_account_cells(const value& account, Instant now) {
  return {cells::name(account), json::array_at(account, {"secrets"}).size(), cells::age(account, now)};
}

std::string first_of(const value& event, std::string_view field) {
  std::string_view time = string_at(event, {field});
  if (time.empty()) time = string_at(event, {"eventTime"});
  return std::string(time);
}

array event_cells(const value& event, Instant now) {
  const std::string first = first_of(event, "firstTimestamp");
  std::string last = string_at(event, {"series", "lastObservedTime"}).empty()
                         ? first_of(event, "lastTimestamp")
                         : std::string(string_at(event, {"series", "lastObservedTime"}));
  const int64_t series = int_at(event, {"series", "count"});
  const int64_t count = series != 0 ? series : std::max<int64_t>(int_at(event, {"count"}), 1);
  std::string object(string_at(event, {"involvedObject", "kind"}));
  std::transform(object.begin(), object.end(), object.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (!string_at(event, {"involvedObject", "name"}).empty())
    object += "/" + std::string(string_at(event, {"involvedObject", "name"}));
  std::string source(string_at(event, {"source", "component"}));
  if (source.empty()) source = string_at(event, {"reportingComponent"});
  if (!string_at(event, {"source", "host"}).empty()) source += ", " + std::string(string_at(event, {"source", "host"}));
  return {cells::since(last, now),
          string_at(event, {"type"}),
          string_at(event, {"reason"}),
          object,
          string_at(event, {"involvedObject", "fieldPath"}),
          source,
          string_at(event, {"message"}),
          cells::since(first, now),
          count,
          cells::name(event)};
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

array claim_cells(const value& claim, Instant now) {
  const bool bound = !string_at(claim, {"spec", "volumeName"}).empty();
  const bool deleting = json::find(claim, {"metadata", "deletionTimestamp"}) != nullptr;
  return {cells::name(claim),
          deleting ? "Terminating" : string_at(claim, {"status", "phase"}),
          string_at(claim, {"spec", "volumeName"}),
          bound ? cells::text_or(claim, {"status", "capacity", "storage"}, "") : "",
          bound ? access_modes(claim, {"status", "accessModes"}) : "",
          string_at(claim, {"spec", "storageClassName"}),
          cells::text_or(claim, {"spec", "volumeAttributesClassName"}, "<unset>"),
          cells::age(claim, now),
          cells::text_or(claim, {"spec", "volumeMode"}, "<unset>")};
}

array volume_cells(const value& volume, Instant now) {
  std::string claim;
  if (json::find(volume, {"spec", "claimRef"}) != nullptr) {
    claim = std::string(string_at(volume, {"spec", "claimRef", "namespace"})) + "/" +
            std::string(string_at(volume, {"spec", "claimRef", "name"}));
  }
  const bool deleting = json::find(volume, {"metadata", "deletionTimestamp"}) != nullptr;
  return {cells::name(volume),
          cells::text_or(volume, {"spec", "capacity", "storage"}, ""),
          access_modes(volume, {"spec", "accessModes"}),
          string_at(volume, {"spec", "persistentVolumeReclaimPolicy"}),
          deleting ? "Terminating" : string_at(volume, {"status", "phase"}),
          claim,
          string_at(volume, {"spec", "storageClassName"}),
          cells::text_or(volume, {"spec", "volumeAttributesClassName"}, "<unset>"),
          string_at(volume, {"status", "reason"}),
          cells::age(volume, now),
          cells::text_or(volume, {"spec", "volumeMode"}, "<unset>")};
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

array quota_cells(const value& quota, Instant now) {
  return {cells::name(quota), quota_list(quota, true), quota_list(quota, false), cells::age(quota, now)};
}

array limit_range_cells(const value& range, Instant now) {
  return {cells::name(range),
          string_at(range, {"metadata", "creationTimestamp"}).empty() ? "<unknown>" : cells::age(range, now)};
}

array pod_template_cells(const value& t, Instant now) {
  static const value kNone = boost::json::object();
  const value* spec = json::find(t, {"template", "spec"});
  return {cells::name(t), cells::container_names(spec == nullptr ? kNone : *spec),
          cells::container_images(spec == nullptr ? kNone : *spec),
          cells::labels(json::find(t, {"template", "metadata", "labels"})), cells::age(t, now)};
}

}  // namespace

const std::vector<KindColumns>& core_columns() {
  static const std::vector<KindColumns> kTable = {
      {"",
       "Node",
       {column("Name"), column("Status"), column("Roles"), column("Age"), column("Version"),
        column("Internal-IP", "string", 1), column("External-IP", "string", 1), column("OS-Image", "string", 1),
        column("Kernel-Version", "string", 1), column("Container-Runtime", "string", 1)},
       node_cells},
      {"", "Namespace", {column("Name"), column("Status"), column("Age")}, namespace_cells},
      {"",
       "Service",
       {column("Name"), column("Type"), column("Cluster-IP"), column("External-IP"), column("Port(s)"), column("Age"),
        column("Selector", "string", 1)},
       service_cells},
      {"", "Endpoints", {column("Name"), column("Endpoints"), column("Age")}, endpoints_cells},
      {"", "ConfigMap", {column("Name"), column("Data"), column("Age")}, config_map_cells},
      {"", "Secret", {column("Name"), column("Type"), column("Data"), column("Age")}, secret_cells},
      {"", "ServiceAccount", {column("Name"), column("Secrets"), column("Age")}, service_account_cells},
      {"",
       "Event",
       {column("Last Seen"), column("Type"), column("Reason"), column("Object"), column("Subobject", "string", 1),
        column("Source", "string", 1), column("Message"), column("First Seen", "string", 1),
        column("Count", "string", 1), column("Name", "string", 1)},
       event_cells},
      {"events.k8s.io",
       "Event",
       {column("Last Seen"), column("Type"), column("Reason"), column("Object"), column("Subobject", "string", 1),
        column("Source", "string", 1), column("Message"), column("First Seen", "string", 1),
        column("Count", "string", 1), column("Name", "string", 1)},
       event_cells},
      {"",
       "PersistentVolumeClaim",
       {column("Name"), column("Status"), column("Volume"), column("Capacity"), column("Access Modes"),
        column("StorageClass"), column("VolumeAttributesClass"), column("Age"), column("VolumeMode", "string", 1)},
       claim_cells},
      {"",
       "PersistentVolume",
       {column("Name"), column("Capacity"), column("Access Modes"), column("Reclaim Policy"), column("Status"),
        column("Claim"), column("StorageClass"), column("VolumeAttributesClass"), column("Reason"), column("Age"),
        column("VolumeMode", "string", 1)},
       volume_cells},
      {"", "ResourceQuota", {column("Name"), column("Request"), column("Limit"), column("Age")}, quota_cells},
      {"", "LimitRange", {column("Name"), column("Created At")}, limit_range_cells},
      {"",
       "PodTemplate",
       {column("Name"), column("Containers"), column("Images"), column("Pod Labels"), column("Age")},
       pod_template_cells},
  };
  return kTable;
}

}  // namespace tenon::kubesim::apiserver
