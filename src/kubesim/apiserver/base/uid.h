// Generates the random parts of metadata: uids and suffixes of names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/runtime.h"

namespace tenon::kubesim::apiserver {

inline constexpr size_t kSuffixLength = 5;  // of random_suffix()

std::string new_uid(runtime::Runtime& runtime);        // a UUID of version 4
std::string random_suffix(runtime::Runtime& runtime);  // of names from generateName

}  // namespace tenon::kubesim::apiserver
