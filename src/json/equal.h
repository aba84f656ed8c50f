// Compares two documents regardless of the order of members. Use it instead of the library's ==, which (in Boost 1.81)
// copies every member of an object, with all that it contains, at each level of the comparison.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

namespace tenon::json {

bool equal(const boost::json::value& a, const boost::json::value& b);
bool equal(const boost::json::object& a, const boost::json::object& b);
bool equal(const boost::json::array& a, const boost::json::array& b);

}  // namespace tenon::json
