// What the cloud's word about an instance means for its NodeClaim. Pure.
// parity: provider-aws pkg/controllers/interruption (controller.go, utils.go, events/events.go)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cloud/interruption.h"
#include "plan/plan.h"

namespace tenon::controllers::interruption {

// How long pods stay where they are for their new places to be bought first. EC2 gives two minutes in all.
inline constexpr Duration kHeadStart = 20s;

struct View {
  model::NodeClaim claim;
  std::vector<model::Node> nodes;  // with the claim's provider id
  cloud::InterruptionKind kind = cloud::InterruptionKind::kNoOp;
  size_t pods = 0;  // that must move, for the metric
  Instant now{};
};

struct Decision {
  plan::Plan plan;
  bool avoid_offering = false;  // the cloud is short of what this claim has
  bool hold_drain = false;      // there is time to buy a replacement before the pods are evicted
  bool deletes = false;
};
Decision decide(const View& view);

// The smaller, the more urgent: 0 for instances that end within minutes or have ended.
int urgency(cloud::InterruptionKind kind);

}  // namespace tenon::controllers::interruption
