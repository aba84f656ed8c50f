// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/ami_family.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "model/global_settings.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr int kFirstMinorOfWindows2025 = 35;
constexpr int64_t kRootGib = 20, kBottlerocketSystemGib = 4, kWindowsRootGib = 50;

struct FamilyRow {
  AmiFamily family;
  std::string_view name, alias;
  std::string_view ephemeral_device;  // holds the pods' storage
  AmiVariant variant = AmiVariant::kStandard;
  std::string_view windows_year = {}, windows_build = {};
};
constexpr std::array<FamilyRow, 8> kFamilies = {{
    {AmiFamily::kAl2, "AL2", "al2", "/dev/xvda"},
    {AmiFamily::kAl2023, "AL2023", "al2023", "/dev/xvda"},
    {AmiFamily::kBottlerocket, "Bottlerocket", "bottlerocket", "/dev/xvdb"},
    {AmiFamily::kUbuntu, "Ubuntu", "", "/dev/sda1"},
    {AmiFamily::kWindows2019, "Windows2019", "windows2019", "/dev/sda1", AmiVariant::kWindows2019, "2019",
     "10.0.17763"},
    {AmiFamily::kWindows2022, "Windows2022", "windows2022", "/dev/sda1", AmiVariant::kWindows2022, "2022",
     "10.0.20348"},
    {AmiFamily::kWindows2025, "Windows2025", "windows2025", "/dev/sda1", AmiVariant::kWindows2025, "2025",
     "10.0.26100"},
    {AmiFamily::kCustom, "Custom", "", ""},
}};

const FamilyRow& row_of(AmiFamily family) {
  return *std::find_if(kFamilies.begin(), kFamilies.end(), [&](const FamilyRow& r) { return r.family == family; });
}

std::vector<AmiQuery> al2_queries(const std::string& version, const std::string& k8s) {
  const std::string base = "/aws/service/eks/optimized-ami/" + k8s + "/";
  const auto path = [&](const std::string& folder, const std::string& name) {
    const std::string leaf = version == "latest" ? "recommended" : name + "-" + k8s + "-" + version;
    return base + folder + "/" + leaf + "/image_id";
  };
  return {{path("amazon-linux-2", "amazon-eks-node"), {AmiVariant::kStandard}},
          {path("amazon-linux-2-arm64", "amazon-eks-arm64-node"), {AmiVariant::kStandard}},
          {path("amazon-linux-2-gpu", "amazon-eks-gpu-node"), {AmiVariant::kNeuron, AmiVariant::kNvidia}}};
}

std::vector<AmiQuery> al2023_queries(const std::string& version, const std::string& k8s) {
  const std::string base = "/aws/service/eks/optimized-ami/" + k8s + "/amazon-linux-2023/";
  const auto path = [&](const std::string& arch, const std::string& variant) {
    const std::string leaf = version == "latest"
                                 ? std::string("recommended")
                                 : "amazon-eks-node-al2023-" + arch + "-" + variant + "-" + k8s + "-" + version;
    return base + arch + "/" + variant + "/" + leaf + "/image_id";
  };
  return {{path("x86_64", "standard"), {AmiVariant::kStandard}},
          {path("x86_64", "nvidia"), {AmiVariant::kNvidia}},
          {path("x86_64", "neuron"), {AmiVariant::kNeuron}},
          {path("arm64", "standard"), {AmiVariant::kStandard}},
          {path("arm64", "nvidia"), {AmiVariant::kNvidia}}};
}

std::vector<AmiQuery> bottlerocket_queries(std::string version, const std::string& k8s) {
  while (version.starts_with('v')) version.erase(0, 1);
  const std::string base = "/aws/service/bottlerocket/aws-k8s-" + k8s;
  return {{base + "/x86_64/" + version + "/image_id", {AmiVariant::kStandard, AmiVariant::kNeuron}},
          {base + "/arm64/" + version + "/image_id", {AmiVariant::kStandard}},
          {base + "-nvidia/x86_64/" + version + "/image_id", {AmiVariant::kNvidia}},
          {base + "-nvidia/arm64/" + version + "/image_id", {AmiVariant::kNvidia}}};
}

std::vector<AmiQuery> windows_queries(const FamilyRow& row, const std::string& k8s) {
  return {{"/aws/service/ami-windows-latest/Windows_Server-" + std::string(row.windows_year) +
               "-English-Core-EKS_Optimized-" + k8s + "/image_id",
           {row.variant}}};
}

aws::EbsDevice default_device(std::string name, int64_t size_gib) {
  aws::EbsDevice device;
  device.device_name = std::move(name);
  device.volume_type = "gp3";
  device.size_gib = size_gib;
  device.encrypted = true;
  return device;
}

int64_t gib_rounded_up(const model::Quantity& size) {
  const int64_t bytes = size.ceil_units();
  return (bytes + catalog::kBytesPerGib - 1) / catalog::kBytesPerGib;
}

std::optional<int64_t> unless_zero(const std::optional<int64_t>& value) {
  return value && *value != 0 ? value : std::nullopt;
}

// parity: provider-aws pkg/providers/instancetype/types.go (ephemeralStorage)
int64_t root_volume_bytes(const model::NodeClass& node_class, AmiFamily family) {
  const auto& devices = node_class.block_devices;
  const int64_t otherwise =
      is_windows(family) ? kWindowsRootGib * catalog::kBytesPerGib : catalog::kDefaultRootVolumeBytes;
  if (devices.empty()) return otherwise;
  const auto size = [otherwise](const model::BlockDevice& device) {
    return device.volume_size ? device.volume_size->floor_units() : otherwise;
  };
  for (const model::BlockDevice& device : devices) {
    if (device.root_volume && device.volume_size) return size(device);
  }
  if (family == AmiFamily::kCustom) return size(devices.back());
  for (const model::BlockDevice& device : devices) {
    if (device.device_name == row_of(family).ephemeral_device && device.volume_size) return size(device);
  }
  return otherwise;
}

}  // namespace

std::string_view to_string(AmiFamily family) { return row_of(family).name; }

std::string_view windows_build(AmiFamily family) { return row_of(family).windows_build; }

Result<Alias> parse_alias(std::string_view text) {
  const auto [name, version] = cut(text, '@');
  const std::string what = "alias '" + std::string(text) + "'";
  if (name.empty() || version.empty() || version.find('@') != std::string_view::npos) {
    return fail(Code::kInvalid, what + " is improperly formatted, must match the format 'family@version'");
  }
  for (const FamilyRow& row : kFamilies) {
    if (row.alias.empty() || row.alias != name) continue;
    if (!row.windows_year.empty() && version != "latest") {
      return fail(Code::kInvalid, what + ": windows families may only specify version 'latest'");
    }
    return Alias{row.family, std::string(version)};
  }
  return fail(Code::kInvalid, what + ": family is not supported, must be one of the following: 'al2', 'al2023', " +
                                  "'bottlerocket', 'windows2019', 'windows2022', 'windows2025'");
}

Result<AmiFamily> family_of(const model::NodeClass& node_class) {
  if (!node_class.ami_family.empty()) {
    for (const FamilyRow& row : kFamilies) {
      if (row.name == node_class.ami_family) return row.family;
    }
    return fail(Code::kInvalid, "spec.amiFamily: " + node_class.ami_family + " is not supported");
  }
  for (const model::SelectorTerm& term : node_class.ami_selector_terms) {
    if (!term.alias.empty()) return TRY_IN("spec.amiSelectorTerms", parse_alias(term.alias)).family;
  }
  return AmiFamily::kCustom;
}

// parity: karpenter v0.27.5 pkg/providers/amifamily/ubuntu.go
std::vector<AmiQuery> ubuntu_queries(std::string_view kubernetes_version) {
  std::vector<AmiQuery> queries;
  for (const char* arch : {"amd64", "arm64"}) {
    queries.push_back({"/aws/service/canonical/ubuntu/eks/20.04/" + std::string(kubernetes_version) +
                           "/stable/current/" + arch + "/hvm/ebs-gp2/ami-id",
                       {}});
  }
  return queries;
}

Result<std::vector<AmiQuery>> alias_queries(const Alias& alias, std::string_view kubernetes_version) {
  const std::string k8s(kubernetes_version);
  switch (alias.family) {
    case AmiFamily::kAl2:
      if (model::minor_of(kubernetes_version) >= model::kFirstMinorWithoutAl2) {
        return fail(Code::kInvalid, "AL2 images are not published for Kubernetes " + k8s);
      }
      return al2_queries(alias.version, k8s);
    case AmiFamily::kAl2023: return al2023_queries(alias.version, k8s);
    case AmiFamily::kBottlerocket: return bottlerocket_queries(alias.version, k8s);
    case AmiFamily::kWindows2025:
      if (model::minor_of(kubernetes_version) < kFirstMinorOfWindows2025) {
        return fail(Code::kInvalid, "Windows2025 images are not published for Kubernetes " + k8s);
      }
      [[fallthrough]];
    case AmiFamily::kWindows2019:
    case AmiFamily::kWindows2022: return windows_queries(row_of(alias.family), k8s);
    case AmiFamily::kUbuntu:
    case AmiFamily::kCustom: break;
  }
  return fail(Code::kInvalid, "the family " + std::string(to_string(alias.family)) + " has no alias");
}

std::vector<model::RequirementSpec> variant_requirements(AmiVariant variant) {
  const std::string accelerators = "karpenter.k8s.aws/instance-accelerator-count";
  const std::string gpus = "karpenter.k8s.aws/instance-gpu-count";
  using model::Operator;
  switch (variant) {
    case AmiVariant::kNvidia: return {{gpus, Operator::kExists, {}, {}}};
    case AmiVariant::kNeuron: return {{accelerators, Operator::kExists, {}, {}}};
    case AmiVariant::kWindows2019:
    case AmiVariant::kWindows2022:
    case AmiVariant::kWindows2025: {
      const auto row =
          std::find_if(kFamilies.begin(), kFamilies.end(), [&](const FamilyRow& r) { return r.variant == variant; });
      return {{std::string(model::kLabelOs), Operator::kIn, {"windows"}, {}},
              {std::string(model::kLabelWindowsBuild), Operator::kIn, {std::string(row->windows_build)}, {}}};
    }
    case AmiVariant::kStandard: break;
  }
  return {{accelerators, Operator::kDoesNotExist, {}, {}}, {gpus, Operator::kDoesNotExist, {}, {}}};
}

std::vector<aws::EbsDevice> block_devices(const model::NodeClass& node_class, AmiFamily family) {
  std::vector<aws::EbsDevice> devices;
  for (const model::BlockDevice& given : node_class.block_devices) {
    aws::EbsDevice device;
    device.device_name = given.device_name;
    device.volume_type = given.volume_type;
    device.kms_key_id = given.kms_key_id;
    device.snapshot_id = given.snapshot_id;
    if (given.volume_size) device.size_gib = gib_rounded_up(*given.volume_size);
    device.iops = unless_zero(given.iops);
    device.throughput = unless_zero(given.throughput);
    device.initialization_rate = given.volume_initialization_rate;
    device.encrypted = given.encrypted;
    device.delete_on_termination = given.delete_on_termination;
    devices.push_back(std::move(device));
  }
  if (!devices.empty()) return devices;
  switch (family) {
    case AmiFamily::kAl2:
    case AmiFamily::kAl2023: return {default_device("/dev/xvda", kRootGib)};
    case AmiFamily::kBottlerocket:
      return {default_device("/dev/xvda", kBottlerocketSystemGib), default_device("/dev/xvdb", kRootGib)};
    case AmiFamily::kUbuntu: return {default_device("/dev/sda1", kRootGib)};
    case AmiFamily::kWindows2019:
    case AmiFamily::kWindows2022:
    case AmiFamily::kWindows2025: return {default_device("/dev/sda1", kWindowsRootGib)};
    case AmiFamily::kCustom: break;
  }
  return {};
}

catalog::NodeSettings node_settings(const model::NodeClass& node_class, AmiFamily family, const NodeLimits& limits) {
  catalog::NodeSettings settings;
  settings.vm_memory_overhead = limits.vm_memory_overhead;
  settings.reserved_enis = limits.reserved_enis;
  settings.root_volume_bytes = root_volume_bytes(node_class, family);
  settings.instance_store_raid0 = node_class.instance_store_policy == "RAID0";
  if (!node_class.network_interfaces.empty()) {
    settings.efa_interfaces = 0;
    for (const model::NetworkInterface& interface : node_class.network_interfaces) {
      if (!interface.efa_only) continue;
      ++*settings.efa_interfaces;
      settings.efa_only_on_first_card += interface.network_card == 0 ? 1 : 0;
    }
  }
  settings.windows_build = windows_build(family);
  settings.eni_limited_pods = !is_windows(family) && node_class.eni_limited_pods;
  settings.pod_eni = node_class.pod_eni;
  settings.pods_per_core = family != AmiFamily::kBottlerocket;
  settings.kube_reserved_by_enis = family != AmiFamily::kBottlerocket && !is_windows(family);
  settings.kubelet = node_class.kubelet;
  return settings;
}

}  // namespace tenon::cloud
