// Compares an answer of the minicluster with the one that a real API server gave. What two servers cannot have in
// common (uids, resource versions, times, generated names) is matched by its form and by being the same thing
// everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "recorded/names.h"

namespace tenon::recorded {

struct Difference {
  std::string at;              // "spec.containers[0].image"; members of a list with names: "resources[pods/log]"
  std::string recorded, seen;  // as JSON; "nothing" where one has no value
};

// `names` learns from what matches.
std::vector<Difference> compare(const boost::json::value& recorded, const boost::json::value& seen, Names& names);

// Without what recordings leave out: managed fields, hashes of storage versions, the prose of columns.
boost::json::value reduced(const boost::json::value& document);

}  // namespace tenon::recorded
