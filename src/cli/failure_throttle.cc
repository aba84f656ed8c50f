// SPDX-License-Identifier: Apache-2.0
#include "cli/failure_throttle.h"

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
    std::erase_if(seen_, [&](const auto& entry) { return entry.second.again_at <= now; });
    if (seen_.size() >= kMaxFailuresRemembered) seen_.clear();  // may repeat lines, loses none
  }
  const auto [entry, first] = seen_.try_emplace(controller + "\n" + what, Seen{now + kFailureRepeat});
  if (first) return 0;
  Seen& seen = entry->second;
  if (now < seen.again_at) {
    ++seen.left_out;
    return std::nullopt;
  }
  const size_t left_out = seen.left_out;
  seen = {now + kFailureRepeat};
  return left_out;
}

}  // namespace tenon::cli
