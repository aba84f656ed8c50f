// A NodePool's status and hash annotations. Pure.
// parity: karpenter pkg/controllers/nodepool (counter, readiness, validation, hash)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace tenon::controllers::nodepool {

struct View {
  model::NodePool pool;
  std::optional<model::NodeClass> node_class;  // the one that it refers to, if it exists
  std::vector<model::NodeClaim> claims;        // of this pool
  model::Resources used;                       // capacity of its nodes that are not being deleted, with "nodes"
  Instant now{};
};

plan::Plan decide(const View& view);

}  // namespace tenon::controllers::nodepool
