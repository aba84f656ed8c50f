// The default names of the leases in which controllers and observers elect one of them. Installations name them in
// roles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::model {

inline constexpr std::string_view kControllerLease = "karpenter-leader-election", kObserverLease = "tenon-observer";

}  // namespace tenon::model
