// The hash of a node class's launch parameters, for drift. After a migration from Karpenter, its hash would look like a
// change. Our hash has its own version, so claims get the new hash instead of being replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr std::string_view kNodeClassHashVersion = "tenon3";

// Returns the hash in decimal. Selectors and status are not included: their drift is found by comparison. Pure.
std::string node_class_hash(const model::NodeClass& node_class, std::string_view ca_base64);

}  // namespace tenon::cloud
