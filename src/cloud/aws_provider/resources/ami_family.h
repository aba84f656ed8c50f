// AMI families: the differences between the operating systems, and the parameters under which AWS publishes their
// images. Pure. parity: provider-aws pkg/providers/amifamily
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/ec2.h"
#include "base/result.h"
#include "catalog/formulas.h"
#include "model/node_class.h"

namespace tenon::cloud {

// kUbuntu: of v0.27 and v1beta1; v1 cannot name it, and it has no alias.
enum class AmiFamily { kAl2, kAl2023, kBottlerocket, kUbuntu, kWindows2019, kWindows2022, kWindows2025, kCustom };
std::string_view to_string(AmiFamily family);
// Returns the value of node.kubernetes.io/windows-build; empty for Linux.
std::string_view windows_build(AmiFamily family);
inline bool is_windows(AmiFamily family) { return !windows_build(family).empty(); }

struct Alias {
  AmiFamily family = AmiFamily::kAl2023;
  std::string version;  // "latest", "v20250101", "1.30.0", …
};
// Parses "al2023@latest". Errors: kInvalid, naming the alias.
Result<Alias> parse_alias(std::string_view text);
// Returns spec.amiFamily, else the alias's family, else kCustom. Errors: kInvalid: an unknown family or an invalid
// alias.
Result<AmiFamily> family_of(const model::NodeClass& node_class);

// A public parameter that holds an image id, and the instance types for which the image is built.
enum class AmiVariant { kStandard, kNvidia, kNeuron, kWindows2019, kWindows2022, kWindows2025 };
struct AmiQuery {
  std::string parameter;
  std::vector<AmiVariant> variants;  // empty: every type of the image's architecture
};
// Returns the parameters that Canonical publishes for a Kubernetes minor version. All of them must exist.
std::vector<AmiQuery> ubuntu_queries(std::string_view kubernetes_version);
// Returns the parameters for a Kubernetes minor version ("1.34"). Errors: kInvalid: the family has no images for it.
Result<std::vector<AmiQuery>> alias_queries(const Alias& alias, std::string_view kubernetes_version);
std::vector<model::RequirementSpec> variant_requirements(AmiVariant variant);

// Returns spec.blockDeviceMappings in EC2's form, or the family's default; sizes in GiB, rounded up.
std::vector<aws::EbsDevice> block_devices(const model::NodeClass& node_class, AmiFamily family);

struct NodeLimits {
  double vm_memory_overhead = catalog::kVmMemoryOverhead;
  int64_t reserved_enis = 0;
};
// Returns the settings of the class that catalog/formulas.h takes as input.
catalog::NodeSettings node_settings(const model::NodeClass& node_class, AmiFamily family, const NodeLimits& limits);

}  // namespace tenon::cloud
