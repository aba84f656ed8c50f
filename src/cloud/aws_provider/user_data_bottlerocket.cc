// Bottlerocket's TOML: the user's settings with ours on top. Inside settings.kubernetes only known keys survive, as in
// Karpenter; other sections pass through as they are written.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "cloud/aws_provider/toml_lines.h"
#include "cloud/aws_provider/user_data.h"

namespace tenon::cloud {
namespace {

using Path = std::vector<std::string>;

// Scalars, then what holds more than one value; written in this order.
constexpr std::array<std::string_view, 48> kKnownKeys = {
    "api-server",
    "cloud-provider",
    "cluster-certificate",
    "cluster-name",
    "cluster-dns-ip",
    "max-pods",
    "eviction-max-pod-grace-period",
    "allowed-unsafe-sysctls",
    "server-tls-bootstrap",
    "registry-qps",
    "registry-burst",
    "event-qps",
    "event-burst",
    "kube-api-qps",
    "kube-api-burst",
    "container-log-max-size",
    "container-log-max-files",
    "cpu-manager-policy",
    "cpu-manager-policy-options",
    "cpu-manager-reconcile-period",
    "memory-manager-policy",
    "topology-manager-scope",
    "topology-manager-policy",
    "topology-manager-policy-options",
    "image-gc-high-threshold-percent",
    "image-gc-low-threshold-percent",
    "ids-per-pod",
    "cpu-cfs-quota-enforced",
    "shutdown-grace-period",
    "shutdown-grace-period-for-critical-pods",
    "cluster-domain",
    "seccomp-default",
    "pod-pids-limit",
    "device-ownership-from-security-context",
    "single-process-oom-kill",
    "container-log-max-workers",
    "container-log-monitor-interval",
    "hostname-override-source",
    "log-level",
    "credential-providers",
    "node-labels",
    "node-taints",
    "static-pods",
    "eviction-hard",
    "eviction-soft",
    "eviction-soft-grace-period",
    "kube-reserved",
    "system-reserved",
};
constexpr std::string_view kMountCommand = "000-mount-instance-storage";

// The value of one key of settings.kubernetes, or a table of them by dotted sub-path.
using Settings = std::map<std::string, std::map<Path, std::string>, std::less<>>;

class Merge {
 public:
  explicit Merge(const Bootstrap& bootstrap) : b_(bootstrap) {}

  Result<std::string> run() {
    const auto given = TRY_IN("spec.userData: invalid UserData", parse_toml(b_.user_data));
    for (const TomlEntry& entry : given) TRY(take(entry));
    put_cluster();
    put_kubelet();
    put_taints();
    if (b_.raid0) put_storage();
    return render();
  }

 private:
  Status take(const TomlEntry& entry) {
    const Path path = entry.path();
    const bool inline_table =
        !entry.key.empty() && (path == Path{"settings"} || path == Path{"settings", "kubernetes"});
    if (inline_table) {
      return fail(Code::kInvalid, "spec.userData: write " + dotted(path) + " as a [table], not as an inline table");
    }
    const bool settings = !path.empty() && path[0] == "settings";
    if (settings && path.size() >= 2 && path[1] == "kubernetes" && !entry.array_table) {
      if (path.size() < 3 || entry.key.empty()) return ok();
      const bool known = std::find(kKnownKeys.begin(), kKnownKeys.end(), path[2]) != kKnownKeys.end();
      if (known) kubernetes_[path[2]][Path(path.begin() + 3, path.end())] = entry.value;
      return ok();
    }
    const bool mount = settings && path.size() >= 3 && path[1] == "bootstrap-commands" && path[2] == kMountCommand;
    if (!mount || !b_.raid0) others_.push_back(entry);
    return ok();
  }

  void put(const std::string& key, std::string value) { kubernetes_[key] = {{Path{}, std::move(value)}}; }
  void put_text(const std::string& key, const std::string& value) { put(key, toml_string(value)); }
  void put_map(const std::string& key, const model::StringMap& map, bool replace) {
    if (map.empty()) return;
    auto& table = kubernetes_[key];
    if (replace) table.clear();
    for (const auto& [name, value] : map) table[Path{name}] = toml_string(value);
  }

  void put_cluster() {
    put_text("api-server", b_.cluster_endpoint);
    put_text("cluster-name", b_.cluster_name);
    put_text("cluster-certificate", b_.ca_base64);
    put_map("node-labels", b_.labels, false);
    put("max-pods", std::to_string(b_.max_pods));
    const std::string dns = b_.kubelet.cluster_dns.empty() ? b_.dns_ip : b_.kubelet.cluster_dns.front();
    if (!dns.empty()) put_text("cluster-dns-ip", dns);
  }

  void put_kubelet() {
    const model::KubeletConfig& k = b_.kubelet;
    put_map("system-reserved", k.system_reserved, true);
    put_map("kube-reserved", k.kube_reserved, true);
    put_map("eviction-hard", k.eviction_hard, true);
    put_map("eviction-soft", k.eviction_soft, true);
    put_map("eviction-soft-grace-period", k.eviction_soft_grace_period, true);
    const auto number = [](int value) { return std::to_string(value); };
    if (k.eviction_max_pod_grace_period) put("eviction-max-pod-grace-period", number(*k.eviction_max_pod_grace_period));
    if (k.image_gc_high_threshold_percent) {
      put_text("image-gc-high-threshold-percent", number(*k.image_gc_high_threshold_percent));
    }
    if (k.image_gc_low_threshold_percent) {
      put_text("image-gc-low-threshold-percent", number(*k.image_gc_low_threshold_percent));
    }
    if (k.cpu_cfs_quota) put("cpu-cfs-quota-enforced", *k.cpu_cfs_quota ? "true" : "false");
  }

  // key → ['value:Effect', …]
  void put_taints() {
    kubernetes_.erase("node-taints");
    std::map<std::string, std::string> by_key;
    for (const model::Taint& taint : b_.taints) {
      std::string& list = by_key[taint.key];
      list += (list.empty() ? "" : ", ") + toml_string(taint.value + ":" + taint.effect);
    }
    for (const auto& [key, list] : by_key) kubernetes_["node-taints"][Path{key}] = "[" + list + "]";
  }

  void put_storage() {
    std::string bind = "['apiclient', 'ephemeral-storage', 'bind'";
    if (b_.mounts_storage_itself) {
      bind += ", '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'";
    }
    storage_ = "[settings.bootstrap-commands.'" + std::string(kMountCommand) +
               "']\ncommands = [['apiclient', 'ephemeral-storage', 'init'], " + bind +
               "]]\nmode = 'always'\nessential = true\n";
  }

  static std::string dotted(const Path& path) {
    std::string out;
    for (const std::string& key : path) out += (out.empty() ? "" : ".") + toml_key(key);
    return out;
  }

  std::string render() const {
    std::string out;
    // Entries above the first header must stay above ours.
    for (const TomlEntry& entry : others_) {
      if (entry.table.empty()) out += dotted(entry.key) + " = " + entry.value + "\n";
    }
    out += "[settings.kubernetes]\n";
    for (const std::string_view key : kKnownKeys) {
      const auto it = kubernetes_.find(key);
      if (it == kubernetes_.end()) continue;
      const auto whole = it->second.find(Path{});
      if (whole != it->second.end()) out += std::string(key) + " = " + whole->second + "\n";
    }
    for (const std::string_view key : kKnownKeys) render_table(key, out);
    render_others(out);
    return out + storage_;
  }

  void render_table(std::string_view key, std::string& out) const {
    const auto it = kubernetes_.find(key);
    if (it == kubernetes_.end()) return;
    std::string rows;
    for (const auto& [path, value] : it->second) {
      if (!path.empty()) rows += dotted(path) + " = " + value + "\n";
    }
    if (!rows.empty()) out += "[settings.kubernetes." + std::string(key) + "]\n" + rows;
  }

  void render_others(std::string& out) const {
    for (const TomlEntry& entry : others_) {
      if (entry.table.empty()) continue;
      if (entry.key.empty()) {
        out += entry.array_table ? "[[" + dotted(entry.table) + "]]\n" : "[" + dotted(entry.table) + "]\n";
      } else {
        out += dotted(entry.key) + " = " + entry.value + "\n";
      }
    }
  }

  const Bootstrap& b_;
  Settings kubernetes_;
  std::vector<TomlEntry> others_;
  std::string storage_;
};

}  // namespace

Result<std::string> render_bottlerocket(const Bootstrap& bootstrap) { return Merge(bootstrap).run(); }

}  // namespace tenon::cloud
