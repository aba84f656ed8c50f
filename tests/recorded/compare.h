// Compares an answer of the minicluster with that of a real API server. Values that two servers cannot share (uids,
// resource versions, times, generated names) are compared by their form and must correspond one to one everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "recorded/names.h"

namespace tenon::recorded {

struct Difference {
  std::string at;              // "spec.containers[0].image"; members of a list with names: "resources[pods/log]"
  std::string recorded, seen;  // as JSON; "nothing" if one server has no value
};

// `names` records the pairs that match.
std::vector<Difference> compare(const boost::json::value& recorded, const boost::json::value& seen, Names& names);

// Removes what recordings leave out: managed fields, hashes of storage versions, descriptions of columns.
boost::json::value reduced(const boost::json::value& document);

}  // namespace tenon::recorded
