// Equivalent claims that one pass creates are launched by one call. An annotation on each claim names its batch from
// its creation on: a process that starts after a crash repeats the same call and launches nothing twice. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cloud {

// On a NodeClaim: "<id>/<index>/<size>".
inline constexpr std::string_view kAnnotationLaunchBatch = "tenon.dev/launch-batch";
// Maximum number of claims in one call. Each claim waits for the last one, so a larger batch would delay the first.
inline constexpr int kMaxLaunchBatch = 64;

struct LaunchBatch {
  std::string id;
  int index = 0, size = 1;
  friend bool operator==(const LaunchBatch&, const LaunchBatch&) = default;
};
std::string format_launch_batch(const LaunchBatch& batch);
std::optional<LaunchBatch> parse_launch_batch(std::string_view text);

// Formats ascending indices as "0-3,7".
std::string format_members(const std::vector<int>& members);
std::optional<std::vector<int>> parse_members(std::string_view text);

}  // namespace tenon::cloud
