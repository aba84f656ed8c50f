// Conversion between the stored version of an object and the version that a client uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

// Converts the object in place to the version of `served`. A custom object may be stored in any version of its kind.
// Errors: 500, the conversion webhook failed.
Done to_served(const ResourceInfo& served, boost::json::value& object);
// Converts all objects, with one review if they need one; an object that has the version is not copied.
Answer<std::vector<Object>> to_served(const ResourceInfo& served, std::vector<Object> objects);
// Converts an object of a request to the stored version. A custom object is completed and validated by the schema of
// `served` before. Errors: 422, 500.
Done to_stored(const ResourceInfo& served, const ResourceInfo& stored, boost::json::value& object);

}  // namespace tenon::kubesim::apiserver
