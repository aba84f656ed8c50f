// Suggests the known label that an unknown one probably means. parity: karpenter requirements.go labelHint
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::model {

// Returns whether the known key contains `asked`, or ends with the part of `asked` after the slash.
bool resembles(std::string_view known, std::string_view asked);
// Returns the first well-known key that resembles this one; empty if none does.
std::string_view well_known_label_like(std::string_view key);

}  // namespace tenon::model
