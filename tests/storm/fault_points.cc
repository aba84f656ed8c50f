// SPDX-License-Identifier: Apache-2.0
#include "storm/fault_points.h"

namespace tenon::storm {

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kApiUnavailable: return "API server unavailable";
    case Fault::kApiReplyLost: return "API server's reply lost";
    case Fault::kApiConflict: return "API server reports a conflict";
    case Fault::kWatchCut: return "watch cut";
    case Fault::kWatchExpired: return "watch expired";
    case Fault::kListAbsent: return "list answered by 404";
    case Fault::kListTruncated: return "list truncated";
    case Fault::kUnreadable: return "object unreadable";
    case Fault::kEvictionRefused: return "webhook refuses evictions";
    case Fault::kEventsSlow: return "events written slowly";
    case Fault::kApiHangs: return "API server hangs";
    case Fault::kCleanStop: return "clean stop during a launch";
    case Fault::kAwsThrottled: return "AWS throttles";
    case Fault::kAwsReplyLost: return "AWS' reply lost";
    case Fault::kNoCapacity: return "offering out of capacity";
    case Fault::kSpotReclaimed: return "spot instance reclaimed without notice";
    case Fault::kSpotWarned: return "spot instance reclaimed with notice";
    case Fault::kControllerCrash: return "controllers crash";
    case Fault::kClaimDeleted: return "NodeClaim deleted by hand";
    case Fault::kFinalizersStripped: return "finalizers stripped by hand";
    case Fault::kForeignEdited: return "NodePool of another provider edited";
  }
  return "";
}

}  // namespace tenon::storm
