// Lists the members of objects that the reader of large files does not keep: no codec reads them, and they make up most
// of a dump.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "json/stream.h"

namespace tenon::cli {

// Returns the members to leave out of an object of this kind (empty: the kind is not known yet). The list is short for
// an object that no API server has stored, because all of its fields are checked for misspelled names.
const std::vector<json::LeftOut>& left_out(std::string_view kind, bool stored);

}  // namespace tenon::cli
