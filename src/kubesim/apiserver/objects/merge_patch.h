// The patch types of PATCH requests, and strategic merge patches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {

enum class PatchType { kJson, kMerge, kStrategic, kApply };
// Returns the patch type of a Content-Type. Errors: 415.
Answer<PatchType> patch_type(std::string_view content_type);

// Applies a strategic merge patch. Supports $patch (replace, delete, merge), $retainKeys, $setElementOrder/…,
// $deleteFromPrimitiveList/…. Errors: 400, 422. parity: k8s.io/apimachinery/pkg/util/strategicpatch
Done apply_strategic_merge_patch(boost::json::value& target, const boost::json::value& patch, const Shape& shape);

}  // namespace tenon::kubesim::apiserver
