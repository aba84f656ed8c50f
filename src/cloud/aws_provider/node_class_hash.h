// The hash of what a node class launches with, for drift. Ours, under our own version: Karpenter's own cannot be told
// apart from a change when a cluster moves between the two, so the version differs and claims are re-stamped instead of
// replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr std::string_view kNodeClassHashVersion = "tenon3";

// Decimal. Selectors and status are not in it: those drift by comparison. Pure.
std::string node_class_hash(const model::NodeClass& node_class, std::string_view ca_base64);

}  // namespace tenon::cloud
