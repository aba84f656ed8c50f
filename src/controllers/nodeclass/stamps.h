// The hash annotations of a node class's NodeClaims. Pure.
// parity: karpenter-provider-aws pkg/controllers/nodeclass/hash
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/plan.h"

namespace tenon::controllers::nodeclass {

struct ClassHash {
  std::string node_class;  // its name
  std::string hash, version;
};

// Whether the claim is of the class and its hash has another version (Karpenter's, or that of another release of
// Tenon): hashes of different versions cannot be compared, so no edit of the class would reach it. A claim that is not
// launched yet has no hash.
bool needs_stamp(const ClassHash& now, const model::NodeClaim& claim);
// Gives the claim the current hash. A claim that is already Drifted keeps its own, with the current version.
plan::Plan decide_stamp(const ClassHash& now, const model::NodeClaim& claim);

}  // namespace tenon::controllers::nodeclass
