// The scale subresource: autoscaling/v1 Scale of workloads and of custom resources that declare it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

boost::json::value scale_of(const ResourceInfo& info, const boost::json::value& object);
// Copies spec.replicas of a Scale into the object.
Done apply_scale(const ResourceInfo& info, const boost::json::value& scale, boost::json::value& object);

}  // namespace tenon::kubesim::apiserver
