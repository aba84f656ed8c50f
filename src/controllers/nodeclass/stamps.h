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

// Claims of the class whose hash has another version (Karpenter's, or of another release of ours) get the present one:
// hashes of different versions do not compare, so that no edit of the class would reach them. The hash of a claim that
// is Drifted already stays. Claims that are not launched yet have none. A group for each claim.
plan::Plan decide_stamps(const ClassHash& now, const std::vector<std::shared_ptr<const model::NodeClaim>>& claims);

}  // namespace tenon::controllers::nodeclass
