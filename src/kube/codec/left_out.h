// Lists the members of objects that no codec reads; they make up most of a list. Readers of long lists and of large
// files check their syntax and build no values of them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "json/stream.h"

namespace tenon::kube::codec {

// Returns the members to leave out of an object of this kind (empty: the kind is not known yet); never an empty list.
// The list is short for an object that no API server has stored: all fields of a manifest are checked for misspelled
// names.
const std::vector<json::LeftOut>& left_out(std::string_view kind, bool stored = true);

}  // namespace tenon::kube::codec
