// SPDX-License-Identifier: Apache-2.0
#include "cloud/interruption.h"

namespace tenon::cloud {

std::string_view to_string(InterruptionKind kind) {
  switch (kind) {
    case InterruptionKind::kSpotInterrupted: return "spot_interrupted";
    case InterruptionKind::kReservationInterrupted: return "capacity_reservation_interrupted";
    case InterruptionKind::kInstanceTerminated: return "instance_terminated";
    case InterruptionKind::kInstanceStopped: return "instance_stopped";
    case InterruptionKind::kScheduledChange: return "scheduled_change";
    case InterruptionKind::kRebalance: return "rebalance_recommendation";
    case InterruptionKind::kNoOp: return "no_op";
    case InterruptionKind::kMalformed: return "malformed";
    case InterruptionKind::kInstanceStatus: return "instance_status";
    case InterruptionKind::kSystemStatus: return "system_status";
    case InterruptionKind::kEventStatus: return "event_status";
  }
  return "";
}

}  // namespace tenon::cloud
