// Patches on the current state of an object: JSON, merge and strategic merge patches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/apiserver/objects/merge_patch.h"

namespace tenon::kubesim::apiserver {

// Applies a patch. `at` has the stored version before and after; the patch has the served version. Errors: 400, 415,
// 422.
Done apply_patch(const ResourceInfo& served, const ResourceInfo& stored, PatchType type,
                 const boost::json::value& patch, boost::json::value& at);

// Returns the error for a patch whose result cannot be decoded as an object of its kind: 422. The value in the message
// is the result, or the patch itself for a strategic merge patch.
ApiError undecodable_patch(PatchType type, const boost::json::value& patch, const boost::json::value& left,
                           const std::string& why);

}  // namespace tenon::kubesim::apiserver
