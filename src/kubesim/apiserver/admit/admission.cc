// parity:
// plugin/pkg/admission/{namespace/lifecycle,priority,defaulttolerationseconds,serviceaccount,storage/storageclass}
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/admission.h"

#include <fmt/format.h>

#include <set>

#include "json/json.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

constexpr int64_t kNodeTroubleSeconds = 300;  // default toleration of the not-ready and unreachable taints

Done check_namespace_life(const Store& store, const ResourceInfo& info, const value& created) {
  if (!info.namespaced || info.has(Traits::kVirtual)) return {};
  const std::string ns(string_at(created, {"metadata", "namespace"}));
  const Object found = store.get({"", "namespaces"}, {"", ns});
  if (!found) {
    return refuse({.code = 404,
                   .reason = "NotFound",
                   .message = "namespaces \"" + ns + "\" not found",
                   .name = ns,
                   .kind = "namespaces"});
  }
  if (string_at(*found, {"status", "phase"}) != "Terminating" || info.kind == "Event") return {};
  ApiError error = forbidden(info, string_at(created, {"metadata", "name"}),
                             "unable to create new content in namespace " + ns + " because it is being terminated");
  error.causes.push_back({"NamespaceTerminating", "namespace " + ns + " is being terminated", "metadata.namespace"});
  return refuse(std::move(error));
}

bool tolerates(const array& tolerations, std::string_view key) {
  for (const value& t : tolerations) {
    const std::string_view of_key = string_at(t, {"key"});
    const std::string_view effect = string_at(t, {"effect"});
    if ((of_key == key || of_key.empty()) && (effect == "NoExecute" || effect.empty())) return true;
  }
  return false;
}

void add_default_tolerations(value& pod) {
  value& tolerations = json::ensure(pod, {"spec", "tolerations"});
  if (!tolerations.is_array()) tolerations.emplace_array();
  for (std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (tolerates(tolerations.get_array(), key)) continue;
    tolerations.get_array().push_back(object{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", kNodeTroubleSeconds}});
  }
}

// Returns the global default priority class, the one with the lowest value if there are several; null if there is none.
Object default_priority_class(const Store& store) {
  Object best;
  for (const Object& candidate : store.list({"scheduling.k8s.io", "priorityclasses"}, "").items) {
    if (!json::bool_at(*candidate, {"globalDefault"})) continue;
    if (!best || json::int_at(*candidate, {"value"}) < json::int_at(*best, {"value"})) best = candidate;
  }
  return best;
}

Done set_priority(const Store& store, const ResourceInfo& info, value& pod) {
  const std::string name(string_at(pod, {"spec", "priorityClassName"}));
  const Object found =
      name.empty() ? default_priority_class(store) : store.get({"scheduling.k8s.io", "priorityclasses"}, {"", name});
  if (!found && !name.empty()) {
    return refuse(
        forbidden(info, string_at(pod, {"metadata", "name"}), "no PriorityClass with name " + name + " was found"));
  }
  const int64_t priority = found ? json::int_at(*found, {"value"}) : 0;
  const value* given = json::find(pod, {"spec", "priority"});
  if (given != nullptr && given->is_int64() && given->get_int64() != priority) {
    return refuse(forbidden(info, string_at(pod, {"metadata", "name"}),
                            fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                                        "admission controller computed {} from the given PriorityClass name",
                                        given->get_int64(), priority)));
  }
  object& spec = pod.get_object()["spec"].get_object();
  spec["priority"] = priority;
  if (found) spec["priorityClassName"] = string_at(*found, {"metadata", "name"});
  const std::string_view policy = found ? string_at(*found, {"preemptionPolicy"}) : "";
  spec["preemptionPolicy"] = policy.empty() ? "PreemptLowerPriority" : policy;
  return {};
}

Done admit_pod(const Store& store, const ResourceInfo& info, value& pod) {
  value& spec = pod.get_object()["spec"];
  if (!spec.is_object()) return {};  // validation rejects it
  for (std::string_view field : {"serviceAccountName", "serviceAccount"}) {
    if (string_at(spec, {field}).empty()) spec.get_object()[field] = "default";
  }
  add_default_tolerations(pod);
  return set_priority(store, info, pod);
}

// Returns the first free address of 10.96.0.0/12. The search starts at 10.96.0.1 for a service named kubernetes, else
// at a hash of the namespace and name.
std::string free_address(const Store& store, const value& service) {
  constexpr uint32_t kBase = 10u << 24 | 96u << 16, kSize = 1u << 20;
  std::set<std::string, std::less<>> taken;
  for (const Object& other : store.list({"", "services"}, "").items)
    taken.emplace(string_at(*other, {"spec", "clusterIP"}));
  uint32_t offset = 0;
  if (string_at(service, {"metadata", "name"}) != "kubernetes") {
    for (char c : std::string(string_at(service, {"metadata", "namespace"})) + "/" +
                      std::string(string_at(service, {"metadata", "name"}))) {
      offset = offset * 31 + static_cast<unsigned char>(c);
    }
  }
  for (;; ++offset) {
    const uint32_t ip = kBase + (offset % (kSize - 2)) + 1;
    const std::string text = fmt::format("{}.{}.{}.{}", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
    if (!taken.contains(text)) return text;
  }
}

void give_node_ports(const Store& store, value& service) {
  constexpr int64_t kFirst = 30000, kLast = 32767;
  std::set<int64_t> taken;
  for (const Object& other : store.list({"", "services"}, "").items) {
    for (const value& port : json::array_at(*other, {"spec", "ports"})) taken.insert(json::int_at(port, {"nodePort"}));
  }
  int64_t next = kFirst;
  value* ports = json::find(service, {"spec", "ports"});
  if (ports == nullptr || !ports->is_array()) return;
  for (value& port : ports->get_array()) {
    if (!port.is_object() || json::int_at(port, {"nodePort"}) != 0) continue;
    while (taken.contains(next) && next < kLast) ++next;
    port.get_object()["nodePort"] = next;
    taken.insert(next);
  }
}

void admit_service(const Store& store, value& service) {
  value* spec_at = json::find(service, {"spec"});
  if (spec_at == nullptr || !spec_at->is_object()) return;
  object& spec = spec_at->get_object();
  const std::string type(string_at(*spec_at, {"type"}));
  if (type == "ExternalName") return;
  if (string_at(*spec_at, {"clusterIP"}).empty()) spec["clusterIP"] = free_address(store, service);
  spec["clusterIPs"] = array{spec["clusterIP"]};
  if (!spec.contains("ipFamilies")) spec["ipFamilies"] = array{"IPv4"};
  if (!spec.contains("ipFamilyPolicy")) spec["ipFamilyPolicy"] = "SingleStack";
  if (type == "NodePort" || type == "LoadBalancer") give_node_ports(store, service);
}

void set_default_storage_class(const Store& store, value& claim) {
  value* spec = json::find(claim, {"spec"});
  if (spec == nullptr || !spec->is_object() || spec->get_object().contains("storageClassName")) return;
  for (const Object& candidate : store.list({"storage.k8s.io", "storageclasses"}, "").items) {
    if (string_at(*candidate, {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}) != "true")
      continue;
    spec->get_object()["storageClassName"] = string_at(*candidate, {"metadata", "name"});
    return;
  }
}

// Adds the not-ready taint: a new node accepts no pods until the node lifecycle controller has read its conditions.
// parity: plugin/pkg/admission/nodetaint
void add_not_ready_taint(value& node) {
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  value& taints = json::ensure(node, {"spec", "taints"});
  if (!taints.is_array()) taints.emplace_array();
  for (const value& taint : taints.get_array()) {
    if (string_at(taint, {"key"}) == kNotReady && string_at(taint, {"effect"}) == "NoSchedule") return;
  }
  taints.get_array().push_back(object{{"key", kNotReady}, {"effect", "NoSchedule"}});
}

}  // namespace

Done admit_create(const Store& store, const ResourceInfo& info, value& created) {
  TRY_API(check_namespace_life(store, info, created));
  if (!info.group.empty()) return {};
  if (info.kind == "Pod") TRY_API(admit_pod(store, info, created));
  if (info.kind == "Node") add_not_ready_taint(created);
  if (info.kind == "Service") admit_service(store, created);
  if (info.kind == "PersistentVolumeClaim") set_default_storage_class(store, created);
  return {};
}

Done admit_update(const Store& store, const ResourceInfo& info, const value& old, value& next) {
  if (!info.group.empty()) return {};
  if (info.kind == "Service") {
    value* spec = json::find(next, {"spec"});
    if (spec != nullptr && spec->is_object() && string_at(*spec, {"clusterIP"}).empty()) {
      const std::string_view before = string_at(old, {"spec", "clusterIP"});
      if (!before.empty()) spec->get_object()["clusterIP"] = before;
    }
    admit_service(store, next);
  }
  return {};
}

}  // namespace tenon::kubesim::apiserver
