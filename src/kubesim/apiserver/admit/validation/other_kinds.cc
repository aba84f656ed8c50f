// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/base/names.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

using json::value;

constexpr int64_t kHighestUserPriority = 1'000'000'000;

bool differs(const Place& field, const value& old, std::initializer_list<std::string_view> path) {
  const value* before = json::find(old, path);
  return before == nullptr ? static_cast<bool>(field) : *before != field.value();
}

std::optional<std::string> check_config_key(std::string_view key) {
  const bool plain = std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  if (plain && !key.empty()) return std::nullopt;
  return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
         "'KEY_NAME',  "
         "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
}

// Formats a taint as Go prints the struct.
std::string go_taint(const Place& taint) {
  const auto quoted = [&](std::string_view field) { return schema::quote(taint[field].text()); };
  return fmt::format(R"({{"Key":{},"Value":{},"Effect":{},"TimeAdded":{}}})", quoted("key"), quoted("value"),
                     quoted("effect"), taint["timeAdded"] ? quoted("timeAdded") : "null");
}

void check_taints(const Place& taints) {
  std::set<std::string> seen;
  taints.each([&](const Place& taint) {
    const Place key = taint["key"], effect = taint["effect"];
    key.qualified();
    taint["value"].named(check_label_value);
    if (effect.empty())
      effect.required();
    else
      check_taint_effect(effect);
    if (seen.insert(fmt::format("{}:{}", key.text(), effect.text())).second) return;
    taint.causes().push_back(
        {"FieldValueDuplicate",
         fmt::format("Duplicate value: {}: taints must be unique by key and effect pair", go_taint(taint)),
         taint.path()});
  });
}

}  // namespace

void check_node(const Place& node) {
  // A real API server reports this path as well, although the field is spec.taints.
  check_taints(
      Place(node["spec"]["taints"] ? &node["spec"]["taints"].value() : nullptr, "metadata.taints", node.causes()));
  for (const std::string_view field : {"capacity", "allocatable"}) {
    node["status"][field].each_key(
        [](const Place& amount, std::string_view resource) { check_quantity(amount, resource); });
  }
}

void check_service(const Place& service) {
  const Place spec = service["spec"], ports = spec["ports"], type = spec["type"];
  const bool headless = spec["clusterIP"].text() == "None";
  if (ports.empty() && !headless && type.text() != "ExternalName") ports.required();
  std::set<std::string> names;
  ports.each([&](const Place& port) {
    if (port["name"].empty() && ports.size() > 1) port["name"].required();
    if (!port["name"].empty()) {
      port["name"].named(check_dns_label);
      port["name"].unique(names);
    }
    if (!port["port"]) port["port"].invalid(value(0), "must be between 1 and 65535, inclusive");
    port["port"].in_range(1, 65535);
    const Place to = port["targetPort"];
    if (to.value().is_string())
      to.named(check_port_name);
    else
      to.in_range(1, 65535);
    port["protocol"].one_of_required({"SCTP", "TCP", "UDP"});
  });
  check_labels(spec["selector"]);
  spec["sessionAffinity"].one_of_required({"ClientIP", "None"});
  type.one_of_required({"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
}

void check_config_map(const Place& map, const value* old) {
  std::set<std::string> keys;
  for (const std::string_view field : {"data", "binaryData"}) {
    map[field].each_key([&](const Place& entry, std::string_view key) {
      if (const auto wrong = check_config_key(key)) entry.invalid(value(key), *wrong);
      if (!keys.emplace(key).second) entry.invalid(value(key), "duplicate of key present in data");
    });
  }
  if (old == nullptr || !json::bool_at(*old, {"immutable"})) return;
  if (!map["immutable"].flag()) map["immutable"].forbidden("field is immutable when `immutable` is set");
  for (const std::string_view field : {"data", "binaryData"}) {
    if (differs(map[field], *old, {field})) map[field].forbidden("field is immutable when `immutable` is set");
  }
}

void check_budget(const Place& spec) {
  if (spec["minAvailable"] && spec["maxUnavailable"]) {
    spec.invalid("minAvailable and maxUnavailable cannot be both set");
  }
  for (const std::string_view field : {"minAvailable", "maxUnavailable"}) {
    check_int_or_percent(spec[field]);
    check_at_most_all(spec[field]);
  }
  check_label_selector(spec["selector"]);
  spec["unhealthyPodEvictionPolicy"].one_of({"AlwaysAllow", "IfHealthyBudget"});
}

void check_claim(const Place& spec, const value* old) {
  if (spec["accessModes"].empty()) spec["accessModes"].required("at least 1 access mode is required");
  // The errors name the list, not the mode, and `resources[storage]`, without `requests`.
  spec["accessModes"].each([&](const Place& mode) {
    Place(&mode.value(), spec["accessModes"].path(), spec.causes())
        .one_of({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
  });
  const Place storage = spec["resources"]["requests"].key("storage");
  if (!storage) return spec["resources"].key("storage").required();
  check_quantity(storage, "storage");
  if (!spec["storageClassName"].empty()) spec["storageClassName"].named(check_dns_subdomain);
  if (old == nullptr) return;
  for (const std::string_view field : {"accessModes", "selector", "volumeMode", "dataSource"}) {
    if (!differs(spec[field], *old, {"spec", field})) continue;
    return spec.forbidden(
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
        "bound claims");
  }
}

void check_storage_class(const Place& storage_class, const value* old) {
  storage_class["provisioner"].named(check_qualified_name);
  if (storage_class["provisioner"].empty()) storage_class["provisioner"].required();
  storage_class["reclaimPolicy"].one_of({"Delete", "Retain"});
  storage_class["volumeBindingMode"].one_of({"Immediate", "WaitForFirstConsumer"});
  if (old == nullptr) return;
  for (const std::string_view field : {"parameters", "provisioner", "reclaimPolicy"}) {
    if (differs(storage_class[field], *old, {field})) {
      storage_class[field].forbidden(fmt::format("updates to {} are forbidden.", field));
    }
  }
  check_immutable(storage_class["volumeBindingMode"], old, {"volumeBindingMode"});
}

void check_priority_class(const Place& priority_class, const value* old) {
  const std::string_view name = priority_class["metadata"]["name"].text();
  const bool ours = name == "system-cluster-critical" || name == "system-node-critical";
  if (!ours && name.starts_with("system-")) {
    priority_class["metadata"]["name"].forbidden(fmt::format(
        "priority class names with 'system-' prefix are reserved for system use only. error: {} is not a known "
        "system priority class",
        name));
  }
  if (!ours && priority_class["value"].number() > kHighestUserPriority) {
    priority_class["value"].forbidden(
        fmt::format("maximum allowed value of a user defined priority is {}", kHighestUserPriority));
  }
  priority_class["preemptionPolicy"].one_of({"Never", "PreemptLowerPriority"});
  if (old == nullptr) return;
  for (const std::string_view field : {"value", "preemptionPolicy"}) {
    if (differs(priority_class[field], *old, {field}))
      priority_class[field].forbidden("may not be changed in an update.");
  }
}

}  // namespace tenon::kubesim::apiserver::validation
