// SPDX-License-Identifier: Apache-2.0
#include "cli/process/failure_throttle.h"

#include <utility>

namespace tenon::cli {
namespace {

bool is_of_the_peer(Code code) {
  return code == Code::kUnavailable || code == Code::kTimeout || code == Code::kThrottled;
}

}  // namespace

std::optional<size_t> FailureThrottle::admit(const std::string& controller, const std::string& key, const Error& error,
                                             Instant now) {
  const std::string what = is_of_the_peer(error.code) ? std::string(to_string(error.code)) : key + "\n" + error.message;
  if (seen_.size() >= kMaxFailuresRemembered) {
    std::erase_if(seen_, [&](const auto& entry) { return entry.second.lines.due(now) <= now; });
    if (seen_.size() >= kMaxFailuresRemembered) seen_.clear();  // may repeat lines, loses none
  }
  Seen& seen = seen_[controller + "\n" + what];
  if (!seen.lines.try_take(now)) {
    ++seen.left_out;
    return std::nullopt;
  }
  return std::exchange(seen.left_out, 0);
}

}  // namespace tenon::cli
