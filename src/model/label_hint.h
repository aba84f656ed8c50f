// Which label was probably meant by one that nobody knows. parity: karpenter requirements.go labelHint
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::model {

// The known key contains the asked one, or ends with its part after the slash.
bool resembles(std::string_view known, std::string_view asked);
// The first well-known key that resembles this one; empty if none does.
std::string_view well_known_label_like(std::string_view key);

}  // namespace tenon::model
