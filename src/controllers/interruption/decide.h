// Decides what a notice of the cloud about an instance means for its NodeClaim. Pure.
// parity: provider-aws pkg/controllers/interruption (controller.go, utils.go, events/events.go)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cloud/interruption.h"
#include "plan/plan.h"

namespace tenon::controllers::interruption {

// The longest time that evictions wait for replacements to be launched. EC2 gives two minutes in total.
inline constexpr Duration kHeadStart = 20s;

struct View {
  model::NodeClaim claim;
  std::vector<model::Node> nodes;  // with the claim's provider id
  std::string instance_id = {};    // for the log
  cloud::InterruptionKind kind = cloud::InterruptionKind::kNoOp;
  size_t pods = 0;  // pods to reschedule, for the metric
  Instant now{};
};

// Returns the deletion of the claim, if the notice requires it. Before the deletion, its drain is held if there is time
// to launch a replacement, and its offering is avoided if the cloud has insufficient capacity of it.
plan::Plan decide(const View& view);

// Lower is more urgent: 0 for instances that end within minutes or have ended.
int urgency(cloud::InterruptionKind kind);

}  // namespace tenon::controllers::interruption
