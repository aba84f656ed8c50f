// Reads Bottlerocket user data: the subset of TOML in machine-written settings (tables, quoted or bare keys, strings,
// integers, arrays of strings on one line).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "kubesim/kubelet/user_data.h"

namespace tenon::kubesim {

void read_bottlerocket(BootConfig& config, std::string_view text);
// Appends the taint unless it is present.
void add_taint(BootConfig& config, Taint taint);

}  // namespace tenon::kubesim
