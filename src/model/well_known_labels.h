// Karpenter's well-known labels, as one list. labels.h has their names and the rules about them; labels.cc defines the
// list. Thread rule: any thread; the list never changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tenon::model {

// Returns the keys, sorted.
std::span<const std::string_view> well_known_labels();

}  // namespace tenon::model
