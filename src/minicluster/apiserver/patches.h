// The patches that are applied to the current state of an object: JSON, merge and strategic merge patches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "minicluster/apiserver/error.h"
#include "minicluster/apiserver/merge_patch.h"
#include "minicluster/apiserver/registry.h"

namespace tenon::minicluster::apiserver {

// `at` is a stored object, before and after; the patch speaks the served version.
Done apply_patch(const ResourceInfo& served, PatchType type, const boost::json::value& patch, boost::json::value& at);

// What a patch has left is no object of its kind: 422, with the document (or a strategic merge patch itself) as the
// value.
ApiError undecodable_patch(PatchType type, const boost::json::value& patch, const boost::json::value& left,
                           const std::string& why);

}  // namespace tenon::minicluster::apiserver
