// SPDX-License-Identifier: Apache-2.0
#include "model/labels.h"

#include <algorithm>
#include <array>

#include "model/kwok.h"
#include "model/label_hint.h"
#include "model/well_known_labels.h"

namespace tenon::model {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kAliases{{
    {"beta.kubernetes.io/arch", kLabelArch},
    {"beta.kubernetes.io/instance-type", kLabelInstanceType},
    {"beta.kubernetes.io/os", kLabelOs},
    {"failure-domain.beta.kubernetes.io/region", kLabelRegion},
    {"failure-domain.beta.kubernetes.io/zone", kLabelZone},
    {"topology.ebs.csi.aws.com/zone", kLabelZone},
}};

// Sorted, because messages list them.
constexpr std::array<std::string_view, 40> kWellKnown{
    "karpenter.k8s.aws/capacity-reservation-id",
    "karpenter.k8s.aws/capacity-reservation-interruptible",
    "karpenter.k8s.aws/capacity-reservation-type",
    "karpenter.k8s.aws/instance-accelerator-count",
    "karpenter.k8s.aws/instance-accelerator-manufacturer",
    "karpenter.k8s.aws/instance-accelerator-name",
    "karpenter.k8s.aws/instance-capability-flex",
    "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-cpu",
    "karpenter.k8s.aws/instance-cpu-manufacturer",
    "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz",
    "karpenter.k8s.aws/instance-ebs-bandwidth",
    "karpenter.k8s.aws/instance-encryption-in-transit-supported",
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-generation",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.k8s.aws/instance-gpu-manufacturer",
    "karpenter.k8s.aws/instance-gpu-memory",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.k8s.aws/instance-hypervisor",
    "karpenter.k8s.aws/instance-local-nvme",
    "karpenter.k8s.aws/instance-memory",
    "karpenter.k8s.aws/instance-network-bandwidth",
    "karpenter.k8s.aws/instance-size",
    "karpenter.k8s.aws/instance-tenancy",
    "karpenter.k8s.aws/placement-group-id",
    "karpenter.k8s.aws/placement-group-partition",
    kLabelKwokCpu,
    kLabelKwokFamily,
    kLabelKwokMemory,
    kLabelKwokSize,
    "karpenter.sh/capacity-type",
    "karpenter.sh/nodepool",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/windows-build",
    "topology.k8s.aws/zone-id",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
};
static_assert(std::is_sorted(kWellKnown.begin(), kWellKnown.end()));

constexpr std::array<std::string_view, 2> kRestrictedDomains{"karpenter.k8s.aws", "karpenter.sh"};

template <class List>
std::string bracketed(const List& list) {
  std::string text = "[";
  for (const std::string_view item : list) {
    if (text.size() > 1) text += ' ';
    text += item;
  }
  return text + "]";
}

bool in_restricted_domain(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = key.substr(0, slash);
  return std::any_of(kRestrictedDomains.begin(), kRestrictedDomains.end(), [&](std::string_view restricted) {
    return domain == restricted ||
           (domain.ends_with(restricted) && domain[domain.size() - restricted.size() - 1] == '.');
  });
}

}  // namespace

std::string_view canonical_label(std::string_view key) {
  const auto* at =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const auto& alias) { return alias.first == key; });
  return at == kAliases.end() ? key : at->second;
}

std::span<const std::string_view> well_known_labels() { return kWellKnown; }

bool is_well_known_label(std::string_view key) { return std::binary_search(kWellKnown.begin(), kWellKnown.end(), key); }

bool resembles(std::string_view known, std::string_view asked) {
  const size_t slash = asked.find('/');
  return known.find(asked) != std::string_view::npos ||
         known.ends_with(asked.substr(slash == std::string_view::npos ? 0 : slash + 1));
}

std::string_view well_known_label_like(std::string_view key) {
  const auto* at =
      std::find_if(kWellKnown.begin(), kWellKnown.end(), [&](std::string_view known) { return resembles(known, key); });
  return at == kWellKnown.end() ? std::string_view() : *at;
}

std::optional<std::string> restricted_label_reason(std::string_view key) {
  if (is_well_known_label(key)) return std::nullopt;
  if (key != kLabelHostname && !in_restricted_domain(key)) return std::nullopt;
  return "using label " + std::string(key) +
         " is not allowed as it might interfere with the internal provisioning logic; specify a well known label: " +
         bracketed(kWellKnown) +
         ", or a custom label that does not use a restricted domain: " + bracketed(kRestrictedDomains);
}

bool is_restricted_node_label(std::string_view key) {
  return is_well_known_label(key) || key == kLabelHostname || in_restricted_domain(key);
}

}  // namespace tenon::model
