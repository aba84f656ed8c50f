// The hash annotations of a node class's NodeClaims. Pure.
// parity: karpenter-provider-aws pkg/controllers/nodeclass/hash
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace tenon::controllers::nodeclass {

struct ClassHash {
  std::string node_class;  // its name
  std::string hash, version;
};

// Stamps the claims of the class whose hash has another version (Karpenter's, or that of another release of Tenon) with
// the current one: hashes of different versions cannot be compared, so no edit of the class would reach them. A claim
// that is already Drifted keeps its hash. Claims that are not launched yet have none. One group for each claim.
plan::Plan decide_stamps(const ClassHash& now, const std::vector<std::shared_ptr<const model::NodeClaim>>& claims);

}  // namespace tenon::controllers::nodeclass
