// Converts the objects of earlier APIs to v1, as documents: Provisioners and AWSNodeTemplates of v0.27, NodePools,
// NodeClaims and EC2NodeClasses of v1beta1. All other documents pass unchanged.
//
//   Converted done = convert(documents);
//   if (!done.refused.empty()) …   // invalid input; nothing is converted
//   for (const Converted::About& note : done.notes) …   // what has no counterpart, and what to do
//
// A conversion keeps the meaning. A Provisioner with neither a TTL nor consolidation becomes a NodePool that is not
// consolidated; one without ttlSecondsUntilExpired, a NodePool whose nodes do not expire; drift, which v0.27 had behind
// a gate that was off, has a budget of 0. v1 has the kubelet's configuration in the EC2NodeClass: Provisioners that
// share an AWSNodeTemplate and differ in it get a class each. The known tool (karpenter-convert of v0.32) loses these.
// Pure. Equal input, equal output. Expects types that the CRDs' schemas have accepted.
// convert_provisioner.cc, convert_selectors.cc, convert_node_template.cc and convert_v1beta1.cc hold the parts.
// parity: docs/convert.md has every field; karpenter v0.32 tools/karpenter-convert, provider-aws v1.0 pkg/apis/v1beta1
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "legacy/findings.h"

namespace tenon::legacy {

struct Converted {
  // A note about the input document with this index.
  struct About {
    size_t document = 0;
    Note note;
  };
  std::vector<boost::json::value> documents;  // in the order of the input; a class that a NodePool needs follows it
  std::vector<About> notes;
  std::vector<About> refused;  // not empty: the input is invalid, and `documents` is empty
};

// The ConfigMap karpenter-global-settings, if it is among the documents, provides aws.defaultInstanceProfile, aws.tags
// and featureGates.driftEnabled.
Converted convert(const std::vector<boost::json::value>& documents);

}  // namespace tenon::legacy
