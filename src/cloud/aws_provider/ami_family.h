// AMI families: what the operating systems differ in, and where AWS publishes their images. Pure.
// parity: provider-aws pkg/providers/amifamily
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

enum class AmiFamily { kAl2, kAl2023, kBottlerocket, kWindows2019, kWindows2022, kWindows2025, kCustom };
std::string_view to_string(AmiFamily family);
// The build as node.kubernetes.io/windows-build has it; empty for Linux.
std::string_view windows_build(AmiFamily family);
inline bool is_windows(AmiFamily family) { return !windows_build(family).empty(); }

struct Alias {
  AmiFamily family = AmiFamily::kAl2023;
  std::string version;  // "latest", "v20250101", "1.30.0", …
};
// "al2023@latest". Errors: kInvalid, naming the alias.
Result<Alias> parse_alias(std::string_view text);
// spec.amiFamily, else the alias's. Errors: kInvalid: an unknown family.
Result<AmiFamily> family_of(const model::NodeClass& node_class);

// One public parameter that holds an image id, and for which instances the image is.
enum class AmiVariant { kStandard, kNvidia, kNeuron, kWindows2019, kWindows2022, kWindows2025 };
struct AmiQuery {
  std::string parameter;
  std::vector<AmiVariant> variants;
};
// For a Kubernetes minor version ("1.34"). Errors: kInvalid: the family has no images for that version.
Result<std::vector<AmiQuery>> alias_queries(const Alias& alias, std::string_view kubernetes_version);
std::vector<model::RequirementSpec> variant_requirements(AmiVariant variant);

// spec.blockDeviceMappings as EC2 takes them, or the family's default; sizes in GiB, rounded up.
std::vector<aws::EbsDevice> block_devices(const model::NodeClass& node_class, AmiFamily family);

struct NodeLimits {
  double vm_memory_overhead = catalog::kVmMemoryOverhead;
  int64_t reserved_enis = 0;
};
// What catalog/formulas.h needs to know about the class.
catalog::NodeSettings node_settings(const model::NodeClass& node_class, AmiFamily family, const NodeLimits& limits);

}  // namespace tenon::cloud
