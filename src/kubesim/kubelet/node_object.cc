// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/node_object.h"

#include <fmt/format.h>

#include "catalog/formulas.h"
#include "json/json.h"
#include "kubesim/actors/objects.h"

namespace tenon::kubesim {
namespace {

constexpr int kLeaseSeconds = 40;
constexpr std::string_view kNotReadyTaint = "node.kubernetes.io/not-ready";

json::object quantities(const model::Resources& resources) {
  json::object result;
  for (const auto& [name, amount] : resources.entries()) result[name] = model::format_amount(name, amount);
  return result;
}

json::object labels(const awssim::FakeInstance& instance, const BootConfig& boot, const KubeletOptions& options) {
  json::object result;
  for (const auto& [key, value] : boot.labels) result[key] = value;
  for (const std::string_view key : {"kubernetes.io/arch", "beta.kubernetes.io/arch"}) result[key] = instance.arch;
  for (const std::string_view key : {"kubernetes.io/os", "beta.kubernetes.io/os"})
    result[key] = boot.windows ? "windows" : "linux";
  result["kubernetes.io/hostname"] = instance.private_dns_name;
  for (const std::string_view key : {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"})
    result[key] = instance.type;
  for (const std::string_view key : {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"})
    result[key] = instance.zone;
  for (const std::string_view key : {"topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"})
    result[key] = options.region;
  result["topology.k8s.aws/zone-id"] = instance.zone_id;
  return result;
}

json::array taints(const BootConfig& boot) {
  json::array result;
  for (const Taint& taint : boot.taints) {
    json::object entry{{"key", taint.key}, {"effect", taint.effect}};
    if (!taint.value.empty()) entry["value"] = taint.value;
    result.push_back(std::move(entry));
  }
  // The API server's admission adds this taint to every new Node.
  result.push_back(json::object{{"key", kNotReadyTaint}, {"effect", "NoSchedule"}});
  return result;
}

json::object node_info(const awssim::FakeInstance& instance, const BootConfig& boot, const KubeletOptions& options) {
  const std::string version = fmt::format("v{}.4-eks-3025e55", options.kubernetes_version);
  return {{"architecture", instance.arch},
          {"bootID", fmt::format("boot-{}", instance.id)},
          {"containerRuntimeVersion", "containerd://2.1.5"},
          {"kernelVersion",
           instance.arch == "arm64" ? "6.12.55-74.119.amzn2023.aarch64" : "6.12.55-74.119.amzn2023.x86_64"},
          {"kubeProxyVersion", ""},
          {"kubeletVersion", version},
          {"machineID", fmt::format("ec2{}", instance.id.substr(2))},
          {"operatingSystem", boot.windows ? "windows" : "linux"},
          {"osImage", boot.windows ? "Windows Server 2022 Datacenter" : "Amazon Linux 2023.9"},
          {"systemUUID", fmt::format("ec2{}", instance.id.substr(2))}};
}

json::array addresses(std::string_view ip, std::string_view name) {
  return {json::object{{"type", "InternalIP"}, {"address", ip}},
          json::object{{"type", "InternalDNS"}, {"address", name}},
          json::object{{"type", "Hostname"}, {"address", name}}};
}

}  // namespace

Result<json::value> make_node(const awssim::FakeInstance& instance, const BootConfig& boot,
                              const KubeletOptions& options, Instant now) {
  const catalog::InstanceFacts* facts = catalog::find_instance_type(instance.type);
  if (facts == nullptr) return fail(Code::kInvalid, instance.id + ": no facts on instance type " + instance.type);
  catalog::NodeSettings settings;
  settings.root_volume_bytes = instance.root_volume_gib * catalog::kBytesPerGib;
  settings.instance_store_raid0 = boot.raid0;
  settings.kubelet = boot.kubelet;
  settings.eni_limited_pods = settings.kube_reserved_by_enis = !boot.windows;
  if (options.faults) {
    settings.memory_bytes = catalog::memory_capacity_bytes(*facts, settings.vm_memory_overhead) -
                            options.faults->memory_less_mib * catalog::kBytesPerMib;
  }
  const model::Resources capacity = catalog::capacity_of(*facts, settings);
  const catalog::Overhead overhead = TRY_IN(instance.id, catalog::overhead_of(*facts, settings));
  model::Resources allocatable;
  for (const auto& [name, amount] : capacity.entries())
    allocatable.set(name, std::max<int64_t>(0, amount - overhead.total().get(name)));

  json::value node = json::object{
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata",
       json::object{{"name", instance.private_dns_name},
                    {"labels", labels(instance, boot, options)},
                    {"annotations", json::object{{"alpha.kubernetes.io/provided-node-ip", instance.private_ip},
                                                 {"node.alpha.kubernetes.io/ttl", "0"},
                                                 {"volumes.kubernetes.io/controller-managed-attach-detach", "true"}}}}},
      {"spec",
       json::object{{"providerID", fmt::format("aws:///{}/{}", instance.zone, instance.id)}, {"taints", taints(boot)}}},
      {"status", json::object{{"capacity", quantities(capacity)},
                              {"allocatable", quantities(allocatable)},
                              {"addresses", addresses(instance.private_ip, instance.private_dns_name)},
                              {"daemonEndpoints", json::object{{"kubeletEndpoint", json::object{{"Port", 10250}}}}},
                              {"nodeInfo", node_info(instance, boot, options)}}}};
  set_node_conditions(node, false, now);
  return node;
}

void complete_kwok_node(json::value& node, const std::string& ip) {
  const json::object defaults{{"cpu", "1k"}, {"memory", "1Ti"}, {"pods", "1M"}};
  for (const std::string_view field : {"capacity", "allocatable"}) {
    json::value& slot = json::ensure(node, {"status", field});
    if (slot.is_object() && !slot.get_object().empty()) continue;
    const json::object& other = json::object_at(node, {"status", field == "capacity" ? "allocatable" : "capacity"});
    slot = other.empty() ? defaults : other;
  }
  json::value& list = json::ensure(node, {"status", "addresses"});
  if (!list.is_array() || list.get_array().empty()) list = addresses(ip, name_of(node));
  json::value& info = json::ensure(node, {"status", "nodeInfo"});
  if (!json::string_at(info, {"kubeletVersion"}).empty()) return;
  info = json::object{{"architecture", json::string_at(node, {"metadata", "labels", "kubernetes.io/arch"}, "amd64")},
                      {"bootID", ""},
                      {"containerRuntimeVersion", "kwok-v0.8.0"},
                      {"kernelVersion", "kwok-v0.8.0"},
                      {"kubeProxyVersion", "kwok-v0.8.0"},
                      {"kubeletVersion", "kwok-v0.8.0"},
                      {"machineID", ""},
                      {"operatingSystem", "linux"},
                      {"osImage", ""},
                      {"systemUUID", ""}};
}

bool set_node_conditions(json::value& node, bool ready, Instant now) {
  bool changed = set_condition(
      node, {"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"}, now);
  changed |=
      set_condition(node, {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"}, now);
  changed |= set_condition(
      node, {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"}, now);
  changed |=
      ready ? set_condition(node, {"Ready", "True", "KubeletReady", "kubelet is posting ready status"}, now)
            : set_condition(node, {"Ready", "False", "KubeletNotReady", "container runtime network not ready"}, now);
  if (changed)
    for (json::value& condition : json::ensure(node, {"status", "conditions"}).as_array())
      condition.as_object()["lastHeartbeatTime"] = format_rfc3339(now);
  return changed;
}

json::value make_lease(const json::value& node, Instant now) {
  return json::object{
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "Lease"},
      {"metadata",
       json::object{{"name", name_of(node)},
                    {"namespace", "kube-node-lease"},
                    {"ownerReferences",
                     json::array{json::object{
                         {"apiVersion", "v1"}, {"kind", "Node"}, {"name", name_of(node)}, {"uid", uid_of(node)}}}}}},
      {"spec", json::object{{"holderIdentity", name_of(node)},
                            {"leaseDurationSeconds", kLeaseSeconds},
                            {"renewTime", format_rfc3339_micro(now)}}}};
}

}  // namespace tenon::kubesim
