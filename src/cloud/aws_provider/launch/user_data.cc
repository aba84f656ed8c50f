// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/user_data.h"

#include <algorithm>

#include "base/instant.h"
#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kBoundary = "//";
constexpr std::string_view kShell = "Content-Type: text/x-shellscript; charset=\"us-ascii\"\n";
constexpr std::string_view kNodeConfig = "Content-Type: application/node.eks.aws\n";

std::string without_carriage_returns(std::string_view text) {
  std::string out(text);
  std::erase(out, '\r');
  return out;
}

std::string joined(const model::StringMap& map, std::string_view between) {
  std::string out;
  for (const auto& [key, value] : map) out += (out.empty() ? "" : ",") + key + std::string(between) + value;
  return out;
}

std::string taint_text(const model::Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

// The value of a header's parameter: boundary="x".
std::string parameter(std::string_view header, std::string_view name) {
  const size_t at = to_lower(header).find(std::string(name) + "=");
  if (at == std::string::npos) return {};
  std::string_view value = header.substr(at + name.size() + 1);
  if (value.starts_with('"')) return std::string(value.substr(1, value.find('"', 1) - 1));
  return std::string(trim(value.substr(0, value.find_first_of("; \n"))));
}

// Headers up to the first empty line, and what follows it.
std::pair<std::string, std::string> split_headers(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  const size_t end = text.find("\n\n");
  if (end == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, end + 1)), std::string(text.substr(end + 2))};
}

std::string content_type_only(const std::string& headers) {
  for (const std::string_view line : split(headers, '\n')) {
    if (to_lower(line).starts_with("content-type:")) return std::string(line) + "\n";
  }
  return {};
}

json::value string_map(const model::StringMap& map) {
  json::object out;
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

json::value taint_list(const std::vector<model::Taint>& taints) {
  json::array out;
  for (const model::Taint& taint : taints) {
    json::object item{{"effect", taint.effect}, {"key", taint.key}};
    if (!taint.value.empty()) item["value"] = taint.value;
    out.push_back(std::move(item));
  }
  return out;
}

// Returns a KubeletConfiguration with keys in alphabetical order, without unset fields.
json::value kubelet_config(const Bootstrap& b) {
  const model::KubeletConfig& k = b.kubelet;
  json::object out;
  const auto put = [&out](const char* name, const auto& value) {
    if (value) out[name] = *value;
  };
  const auto put_map = [&out](const char* name, const model::StringMap& map) {
    if (!map.empty()) out[name] = string_map(map);
  };
  json::array dns;
  for (const std::string& address : k.cluster_dns) dns.emplace_back(address);
  if (dns.empty() && !b.dns_ip.empty()) dns.emplace_back(b.dns_ip);
  if (!dns.empty()) out["clusterDNS"] = std::move(dns);
  put("cpuCFSQuota", k.cpu_cfs_quota);
  put_map("evictionHard", k.eviction_hard);
  put("evictionMaxPodGracePeriod", k.eviction_max_pod_grace_period);
  put_map("evictionSoft", k.eviction_soft);
  put_map("evictionSoftGracePeriod", k.eviction_soft_grace_period);
  put("imageGCHighThresholdPercent", k.image_gc_high_threshold_percent);
  put("imageGCLowThresholdPercent", k.image_gc_low_threshold_percent);
  put_map("kubeReserved", k.kube_reserved);
  out["maxPods"] = b.max_pods;
  put("podsPerCore", k.pods_per_core);
  if (!b.taints.empty()) out["registerWithTaints"] = taint_list(b.taints);
  put_map("systemReserved", k.system_reserved);
  return out;
}

// Checks that the text is YAML, and a mapping.
Status check_node_config(std::string_view text) {
  const auto documents = TRY(json::parse_yaml(text));
  if (documents.empty() || !documents.front().is_object()) return fail(Code::kInvalid, "it is no YAML mapping");
  return ok();
}

// Formats durations as the kubelet expects them: "1m" becomes "1m0s".
model::KubeletConfig with_whole_durations(model::KubeletConfig kubelet) {
  for (auto& [signal, text] : kubelet.eviction_soft_grace_period) {
    if (const auto duration = parse_go_duration(text)) text = format_go_duration(*duration);
  }
  return kubelet;
}

Result<std::vector<MimePart>> user_parts(const Bootstrap& bootstrap, bool yaml_is_node_config) {
  const std::string text = without_carriage_returns(bootstrap.user_data);
  if (trim(text).empty()) return std::vector<MimePart>{};
  if (is_mime(text)) {
    std::vector<MimePart> parts = TRY_IN("spec.userData: invalid UserData", parse_mime(text));
    for (const MimePart& part : parts) {
      if (yaml_is_node_config &&
          content_type_only(part.headers).find("application/node.eks.aws") != std::string::npos) {
        TRY_IN("spec.userData: invalid UserData: a NodeConfig part", check_node_config(part.body));
      }
    }
    return parts;
  }
  if (yaml_is_node_config) {
    const Status config = check_node_config(text);
    if (config) return std::vector<MimePart>{{std::string(kNodeConfig), text}};
    // A NodeConfig with an error must not run as a shell script, where it would have no effect.
    if (text.find("apiVersion: node.eks.aws") != std::string::npos && !trim(text).starts_with("#!")) {
      TRY_IN("spec.userData: invalid UserData", Status(config));
    }
  }
  return std::vector<MimePart>{{std::string(kShell), text}};
}

}  // namespace

bool is_mime(std::string_view text) {
  const std::string_view start = trim(text);
  return start.starts_with("MIME-Version:") || start.starts_with("Content-Type:");
}

Result<std::vector<MimePart>> parse_mime(std::string_view text) {
  const std::string whole = without_carriage_returns(trim(text));
  const auto [headers, body] = split_headers(whole);
  if (to_lower(headers).find("content-type: multipart/") == std::string::npos) {
    return fail(Code::kInvalid, "a MIME document must be multipart/*");
  }
  const std::string boundary = parameter(headers, "boundary");
  if (boundary.empty()) return fail(Code::kInvalid, "the MIME document names no boundary");
  const std::string line = "--" + boundary;
  std::vector<MimePart> parts;
  std::string* open = nullptr;
  std::string current;
  const auto close = [&] {
    if (open == nullptr) return;
    if (current.ends_with('\n')) current.pop_back();  // the line break before a boundary is part of the boundary
    auto [part_headers, part_body] = split_headers(current);
    parts.push_back({std::move(part_headers), std::move(part_body)});
    current.clear();
  };
  for (const std::string_view row : split(body, '\n')) {
    if (row == line + "--") {
      close();
      return parts;
    }
    if (row == line) {
      close();
      open = &current;
    } else if (open != nullptr) {
      current += std::string(row) + "\n";
    }
  }
  return fail(Code::kInvalid, "the MIME document is not closed by " + line + "--");
}

std::string render_mime(const std::vector<MimePart>& parts) {
  std::string out = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"" + std::string(kBoundary) + "\"\n\n";
  for (const MimePart& part : parts) {
    out += "--" + std::string(kBoundary) + "\n" + part.headers + "\n" + part.body + "\n";
  }
  return out + "--" + std::string(kBoundary) + "--";
}

std::string kubelet_flags(const Bootstrap& b) {
  std::vector<std::string> flags;
  const auto quoted = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) flags.push_back("--" + name + "=\"" + value + "\"");
  };
  const auto number = [&](const std::string& name, const std::optional<int>& value) {
    if (value) flags.push_back("--" + name + "=" + std::to_string(*value));
  };
  std::string taints;
  for (const model::Taint& taint : b.taints) taints += (taints.empty() ? "" : ",") + taint_text(taint);
  quoted("node-labels", joined(b.labels, "="));
  quoted("register-with-taints", taints);
  flags.push_back("--max-pods=" + std::to_string(b.max_pods));
  number("pods-per-core", b.kubelet.pods_per_core);
  quoted("system-reserved", joined(b.kubelet.system_reserved, "="));
  quoted("kube-reserved", joined(b.kubelet.kube_reserved, "="));
  quoted("eviction-hard", joined(b.kubelet.eviction_hard, "<"));
  quoted("eviction-soft", joined(b.kubelet.eviction_soft, "<"));
  quoted("eviction-soft-grace-period", joined(b.kubelet.eviction_soft_grace_period, "="));
  number("eviction-max-pod-grace-period", b.kubelet.eviction_max_pod_grace_period);
  number("image-gc-high-threshold", b.kubelet.image_gc_high_threshold_percent);
  number("image-gc-low-threshold", b.kubelet.image_gc_low_threshold_percent);
  if (b.kubelet.cpu_cfs_quota)
    flags.push_back(*b.kubelet.cpu_cfs_quota ? "--cpu-cfs-quota=true" : "--cpu-cfs-quota=false");
  return join(flags, " ");
}

Result<std::string> render_al2(const Bootstrap& b) {
  const std::string dns = b.kubelet.cluster_dns.empty() ? b.dns_ip : b.kubelet.cluster_dns.front();
  std::string script =
      "#!/bin/bash -xe\nexec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1\n"
      "/etc/eks/bootstrap.sh '" +
      b.cluster_name + "' --apiserver-endpoint '" + b.cluster_endpoint + "' --b64-cluster-ca '" + b.ca_base64 + "'";
  const auto option = [&script](const std::string& text) { script += " \\\n" + text; };
  if (dns.find(':') != std::string::npos) option("--ip-family ipv6");
  if (!dns.empty()) option("--dns-cluster-ip '" + dns + "'");
  option("--use-max-pods false");
  option("--kubelet-extra-args '" + kubelet_flags(b) + "'");
  if (b.raid0) option("--local-disks raid0");
  std::vector<MimePart> parts = TRY(user_parts(b, false));
  parts.push_back({std::string(kShell), script});
  return without_carriage_returns(render_mime(parts));
}

Result<std::string> render_al2023(const Bootstrap& b) {
  json::object local_storage;
  if (b.raid0) local_storage["strategy"] = "RAID0";
  json::object cluster{{"apiServerEndpoint", b.cluster_endpoint},
                       {"certificateAuthority", b.ca_base64},
                       {"cidr", b.service_cidr},
                       {"name", b.cluster_name}};
  json::object kubelet{{"config", kubelet_config(b)}};
  if (!b.labels.empty()) kubelet["flags"] = json::array{"--node-labels=\"" + joined(b.labels, "=") + "\""};
  const json::value config =
      json::object{{"apiVersion", "node.eks.aws/v1alpha1"},
                   {"kind", "NodeConfig"},
                   {"metadata", json::object{}},
                   {"spec", json::object{{"cluster", std::move(cluster)},
                                         {"containerd", json::object{}},
                                         {"instance", json::object{{"localStorage", std::move(local_storage)}}},
                                         {"kubelet", std::move(kubelet)}}}};
  std::vector<MimePart> parts = TRY(user_parts(b, true));
  for (MimePart& part : parts) part.headers = content_type_only(part.headers);
  parts.push_back({std::string(kNodeConfig), "# Karpenter Generated NodeConfig\n" + json::to_yaml(config)});
  return without_carriage_returns(render_mime(parts));
}

std::string render_windows(const Bootstrap& b) {
  const std::string dns = b.kubelet.cluster_dns.empty() ? b.dns_ip : b.kubelet.cluster_dns.front();
  std::string script = "<powershell>\n";
  if (!b.user_data.empty()) script += b.user_data + "\n";
  script +=
      "[string]$EKSBootstrapScriptFile = \"$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1\"\n"
      "& $EKSBootstrapScriptFile -EKSClusterName '" +
      b.cluster_name + "' -APIServerEndpoint '" + b.cluster_endpoint + "'";
  const auto option = [&script](std::string_view name, const std::string& value) {
    if (!value.empty()) script += " -" + std::string(name) + " '" + value + "'";
  };
  option("Base64ClusterCA", b.ca_base64);
  option("KubeletExtraArgs", kubelet_flags(b));
  option("DNSClusterIP", dns);
  return script + "\n</powershell>";
}

Result<std::string> render_user_data(const Bootstrap& given) {
  Bootstrap bootstrap = given;
  bootstrap.kubelet = with_whole_durations(std::move(bootstrap.kubelet));
  switch (bootstrap.family) {
    case AmiFamily::kUbuntu:  // has AL2's script
    case AmiFamily::kAl2: return render_al2(bootstrap);
    case AmiFamily::kAl2023: return render_al2023(bootstrap);
    case AmiFamily::kBottlerocket: return render_bottlerocket(bootstrap);
    case AmiFamily::kWindows2019:
    case AmiFamily::kWindows2022:
    case AmiFamily::kWindows2025: return render_windows(bootstrap);
    case AmiFamily::kCustom: break;
  }
  return bootstrap.user_data;
}

}  // namespace tenon::cloud
