// Checks whether a node class can launch an instance type at all, regardless of capacity. Pure.
// parity: provider-aws pkg/providers/instancetype/compatibility.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "cloud/aws_provider/resources/ami_family.h"
#include "model/node_class.h"

namespace tenon::cloud {

struct ResolvedClass {
  AmiFamily family;
  std::string placement_strategy = {};  // of its placement group; empty: it has none
};
// Returns what the class requires and the type lacks, for people; empty if the type is compatible.
std::string incompatibility(const catalog::InstanceFacts& facts, const model::NodeClass& node_class,
                            const ResolvedClass& resolved);

}  // namespace tenon::cloud
