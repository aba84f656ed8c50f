// JSONPath, as printer columns and the scale subresource use it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>
#include <vector>

namespace tenon::kubesim::apiserver {

// Returns the values at a JSONPath. Supports the subset that printer columns use: .a.b, ['a.b'], [0], [*],
// [?(@.type=="Ready")], and . for the object itself.
std::vector<const boost::json::value*> json_path(const boost::json::value& object, std::string_view path);

}  // namespace tenon::kubesim::apiserver
