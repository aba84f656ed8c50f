// When a pod started (status.startTime) is asked of few pods: it is kept among their conditions, under a type of ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::model {

inline constexpr std::string_view kPodStarted = "tenon.dev/Started";

}  // namespace tenon::model
