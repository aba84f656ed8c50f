// Events of EC2 and AWS Health about instances, as the EventBridge rules of Karpenter's CloudFormation stack deliver
// them to the queue: one JSON envelope each. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "awssim/account/world.h"

namespace tenon::awssim {

// `id` is the id of the envelope. The state is that of the instance: pending, running, shutting-down, …
std::string state_change_event(const World& world, const Instance& instance, const std::string& id, Instant at);
std::string notice_event(const World& world, const Instance& instance, Notice notice, const std::string& id,
                         Instant at);

}  // namespace tenon::awssim
