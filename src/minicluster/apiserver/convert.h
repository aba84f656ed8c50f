// Between the version an object is stored in and the one a client speaks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "minicluster/apiserver/registry.h"

namespace tenon::minicluster::apiserver {

// Both change the object in place; nothing happens for the stored version itself.
void to_served(const ResourceInfo& served, boost::json::value& object);
void to_stored(const ResourceInfo& served, boost::json::value& object);

}  // namespace tenon::minicluster::apiserver
