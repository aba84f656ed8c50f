// The CustomResourceDefinitions of deploy/crds, compiled into the binary: NodePool, NodeClaim, EC2NodeClass; and those
// of deploy/crds/optional, which only feature gates require: NodeOverlay, CapacityBuffer; and those of
// deploy/crds/v0.27: Provisioner, AWSNodeTemplate; and those of deploy/crds/v1beta1, which serve v1beta1 beside v1; and
// that of deploy/crds/kwok: KWOKNodeClass.
//
//   for (const auto& [name, yaml] : builtin_crds())
//     for (const json::value& crd : TRY(json::parse_yaml(yaml))) …
//
// The views live as long as the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace tenon::schema {

// (file name, YAML of one CRD), in a fixed order.
std::vector<std::pair<std::string_view, std::string_view>> builtin_crds();
std::vector<std::pair<std::string_view, std::string_view>> optional_crds();
std::vector<std::pair<std::string_view, std::string_view>> legacy_crds();
std::vector<std::pair<std::string_view, std::string_view>> v1beta1_crds();
std::vector<std::pair<std::string_view, std::string_view>> kwok_crds();

}  // namespace tenon::schema
