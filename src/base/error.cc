// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace tenon {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kNotFound: return "NotFound";
    case Code::kAlreadyExists: return "AlreadyExists";
    case Code::kConflict: return "Conflict";
    case Code::kGone: return "Gone";
    case Code::kInvalid: return "Invalid";
    case Code::kForbidden: return "Forbidden";
    case Code::kThrottled: return "Throttled";
    case Code::kUnavailable: return "Unavailable";
    case Code::kTimeout: return "Timeout";
    case Code::kInsufficientCapacity: return "InsufficientCapacity";
    case Code::kQuota: return "Quota";
    case Code::kCancelled: return "Cancelled";
    case Code::kInternal: return "Internal";
  }
  return "Internal";
}

Error Error::in(std::string_view context) const { return {code, std::string(context) + ": " + message, retry_after}; }

}  // namespace tenon
