// What the reading of large files leaves out of objects: members that no codec reads and that make up most of a dump.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "json/stream.h"

namespace tenon::cli {

// Of an object of this kind (empty: not known yet). Of one that an API server has not stored little is: its fields are
// looked at for slips of the pen.
const std::vector<json::LeftOut>& left_out(std::string_view kind, bool stored);

}  // namespace tenon::cli
