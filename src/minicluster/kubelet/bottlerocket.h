// Bottlerocket's user data: the part of TOML that machine-written settings use (tables, quoted or bare keys, strings,
// integers, arrays of strings on one line).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "minicluster/kubelet/user_data.h"

namespace tenon::minicluster {

void read_bottlerocket(BootConfig& config, std::string_view text);
// Appends it unless it is there.
void add_taint(BootConfig& config, Taint taint);

}  // namespace tenon::minicluster
