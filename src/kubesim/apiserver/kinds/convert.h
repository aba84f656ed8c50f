// Conversion between the stored version of an object and the version that a client uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

// Both convert the object in place. If `served` is the stored version, they do nothing.
void to_served(const ResourceInfo& served, boost::json::value& object);
void to_stored(const ResourceInfo& served, boost::json::value& object);

}  // namespace tenon::kubesim::apiserver
