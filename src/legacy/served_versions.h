// Conversion between the two served versions of NodePool, NodeClaim and EC2NodeClass: v1beta1 and v1. For the
// conversion webhook, which gets one object at a time and must lose nothing, in both directions:
//
//   value v1 = TRY(to_version(stored, "karpenter.sh/v1"));
//
// Annotations keep what the other version cannot express:
//   compatibility.karpenter.sh/v1beta1-kubelet-conversion   spec.kubelet of a NodePool or NodeClaim. Karpenter 1.0
//   writes
//       the same; the controllers read it from NodePools (kube/codec/node_pool.cc).
//   compatibility.karpenter.sh/v1beta1-expire-after         a NodeClaim of v1beta1 has no expireAfter: that of its
//       NodePool applies to it as it is now (controllers/claim_conditions).
//   compatibility.karpenter.sh/other-version                all other fields of spec, each with the value that the
//   simple
//       conversion gives. On the way back a field gets its old value only if nobody has edited it meanwhile.
// Both round trips are identities. Pure. parity: karpenter v1.0 pkg/apis/v1/*_conversion.go for the fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace tenon::legacy {

// model/generations.h has the other two.
inline constexpr std::string_view kAnnotationOtherVersion = "compatibility.karpenter.sh/other-version";

// Returns the object unchanged if it has this version. Of metadata, only annotations change. Errors: kInvalid, with the
// object and the cause: a kind or version without conversion, a part that is no object.
Result<boost::json::value> to_version(const boost::json::value& object, std::string_view api_version);

}  // namespace tenon::legacy
