// Random valid objects of the two served versions, for properties of to_version().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/prng.h"

namespace tenon::legacy::testing {

// Returns a NodePool, NodeClaim or EC2NodeClass. `version`: "v1" or "v1beta1". Each field of the version is drawn with
// a chance of its own.
boost::json::value random_object(std::string_view version, Prng& prng);

}  // namespace tenon::legacy::testing
