// The log lines of a decision of the provisioner, in Karpenter's words. Pure.
// parity: karpenter pkg/controllers/provisioning/provisioner.go, scheduling/scheduler.go Results.Record
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "log/log.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"

namespace tenon::controllers::provisioning {

// Returns the line before a decision: how many pods wait, and how many run on nodes that are being deleted.
log::Entry computing_line(const scheduling::Snapshot& snapshot);

// Returns the lines of a decision that took `took`: its pods, the NodeClaims and nodes for them, and the pods and
// NodePools that get none.
std::vector<log::Entry> decision_lines(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution,
                                       Duration took);

}  // namespace tenon::controllers::provisioning
