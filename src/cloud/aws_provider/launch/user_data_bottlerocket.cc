// Renders Bottlerocket's TOML: the user's settings, overridden by ours. In settings.kubernetes and
// settings.bootstrap-commands only supported keys are kept, as in Karpenter; all other settings are passed through.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "cloud/aws_provider/launch/bottlerocket_settings.h"
#include "cloud/aws_provider/launch/user_data.h"
#include "cloud/aws_provider/util/toml_document.h"
#include "json/json.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kMountCommand = "000-mount-instance-storage";

// The tables of the user's document.
struct Given {
  json::object kubernetes, bootstrap_commands;
  json::object settings;  // all other settings
  json::object outside;   // everything outside [settings]
};

Result<Given> read(const std::string& user_data) {
  Given given;
  given.outside = TRY(parse_toml(user_data));
  const json::value* settings = given.outside.if_contains("settings");
  if (settings == nullptr) return given;
  if (!settings->is_object()) return fail(Code::kInvalid, "settings: must be a table");
  given.settings = settings->get_object();
  given.outside.stable_erase(given.outside.find("settings"));
  if (const json::value* kubernetes = given.settings.if_contains("kubernetes")) {
    given.kubernetes = TRY(known_kubernetes_settings(*kubernetes));
    given.settings.stable_erase(given.settings.find("kubernetes"));
  }
  if (const json::value* commands = given.settings.if_contains("bootstrap-commands")) {
    given.bootstrap_commands = TRY(known_bootstrap_commands(*commands));
    given.settings.stable_erase(given.settings.find("bootstrap-commands"));
  }
  return given;
}

void put_map(json::object& kubernetes, std::string_view key, const model::StringMap& map) {
  if (map.empty()) return;
  json::object table;
  for (const auto& [name, value] : map) table[name] = value;
  kubernetes[key] = std::move(table);
}

void put_labels(json::object& kubernetes, const model::StringMap& ours) {
  model::StringMap labels = ours;
  if (const json::value* theirs = kubernetes.if_contains("node-labels")) {
    for (const auto& [key, value] : theirs->get_object()) {
      labels.emplace(std::string(key), std::string(value.get_string()));
    }
  }
  put_map(kubernetes, "node-labels", labels);
}

void put_cluster(const Bootstrap& b, json::object& kubernetes) {
  kubernetes["api-server"] = b.cluster_endpoint;
  kubernetes["cluster-name"] = b.cluster_name;
  kubernetes["cluster-certificate"] = b.ca_base64;
  kubernetes["max-pods"] = b.max_pods;
  const std::string& dns = b.kubelet.cluster_dns.empty() ? b.dns_ip : b.kubelet.cluster_dns.front();
  if (!dns.empty()) kubernetes["cluster-dns-ip"] = dns;
}

void put_kubelet(const model::KubeletConfig& k, json::object& kubernetes) {
  put_map(kubernetes, "system-reserved", k.system_reserved);
  put_map(kubernetes, "kube-reserved", k.kube_reserved);
  put_map(kubernetes, "eviction-hard", k.eviction_hard);
  put_map(kubernetes, "eviction-soft", k.eviction_soft);
  put_map(kubernetes, "eviction-soft-grace-period", k.eviction_soft_grace_period);
  if (k.eviction_max_pod_grace_period) kubernetes["eviction-max-pod-grace-period"] = *k.eviction_max_pod_grace_period;
  const auto percent = [&](std::string_view key, const std::optional<int>& number) {
    if (number) kubernetes[key] = std::to_string(*number);  // Bottlerocket requires a string
  };
  percent("image-gc-high-threshold-percent", k.image_gc_high_threshold_percent);
  percent("image-gc-low-threshold-percent", k.image_gc_low_threshold_percent);
  if (k.cpu_cfs_quota) kubernetes["cpu-cfs-quota-enforced"] = *k.cpu_cfs_quota;
}

// key → ['value:Effect', …]; replaces the user's taints.
void put_taints(const std::vector<model::Taint>& taints, json::object& kubernetes) {
  std::map<std::string, json::array> by_key;
  for (const model::Taint& taint : taints) by_key[taint.key].emplace_back(taint.value + ":" + taint.effect);
  json::object table;
  for (auto& [key, values] : by_key) table[key] = std::move(values);
  kubernetes["node-taints"] = std::move(table);
}

json::value mount_command(bool names_paths) {
  json::array bind{"apiclient", "ephemeral-storage", "bind"};
  if (names_paths) {
    for (const char* word : {"--dirs", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"}) {
      bind.emplace_back(word);
    }
  }
  return {{"commands", json::array{json::array{"apiclient", "ephemeral-storage", "init"}, std::move(bind)}},
          {"mode", "always"},
          {"essential", true}};
}

// Inserts the command in name order, in which Bottlerocket runs commands.
void put_mount_command(bool names_paths, json::object& commands) {
  std::map<std::string, json::value> by_name;
  for (auto& [name, command] : commands) by_name.emplace(name, std::move(command));
  by_name[std::string(kMountCommand)] = mount_command(names_paths);
  commands.clear();
  for (auto& [name, command] : by_name) commands[name] = std::move(command);
}

}  // namespace

Result<std::string> render_bottlerocket(const Bootstrap& b) {
  Given given = TRY_IN("spec.userData: invalid UserData", read(b.user_data));
  put_labels(given.kubernetes, b.labels);
  put_cluster(b, given.kubernetes);
  put_kubelet(b.kubelet, given.kubernetes);
  put_taints(b.taints, given.kubernetes);
  if (b.raid0) put_mount_command(b.mounts_storage_itself, given.bootstrap_commands);

  json::object settings;
  settings["kubernetes"] = TRY(known_kubernetes_settings(given.kubernetes));  // in output order
  for (auto& [key, value] : given.settings) settings[key] = std::move(value);
  if (!given.bootstrap_commands.empty()) settings["bootstrap-commands"] = std::move(given.bootstrap_commands);
  json::object document = std::move(given.outside);
  document["settings"] = std::move(settings);
  return render_toml(document);
}

}  // namespace tenon::cloud
