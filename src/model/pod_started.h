// The start time of a pod (status.startTime) is rarely needed, so it is stored as a condition of a type of our own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::model {

inline constexpr std::string_view kPodStarted = "tenon.dev/Started";

}  // namespace tenon::model
