// The conditions in the status of an object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

namespace tenon::kubesim::apiserver {

// Returns whether the object has the condition with the status True.
bool condition_true(const boost::json::value& object, std::string_view type);

}  // namespace tenon::kubesim::apiserver
