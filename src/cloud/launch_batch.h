// Claims that one pass makes and that are alike are launched by one call. Which belong together is written on each
// claim when it is made: a later process, after a crash, makes the same call again and buys nothing twice. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cloud {

// On a NodeClaim: "<id>/<index>/<size>".
inline constexpr std::string_view kAnnotationLaunchBatch = "tenon.dev/launch-batch";
// Claims of one call: each waits for the last of them, so that many would make the first wait for long.
inline constexpr int kMaxLaunchBatch = 64;

struct LaunchBatch {
  std::string id;
  int index = 0, size = 1;
  friend bool operator==(const LaunchBatch&, const LaunchBatch&) = default;
};
std::string format_launch_batch(const LaunchBatch& batch);
std::optional<LaunchBatch> parse_launch_batch(std::string_view text);

// Ascending indices as "0-3,7".
std::string format_members(const std::vector<int>& members);
std::optional<std::vector<int>> parse_members(std::string_view text);

}  // namespace tenon::cloud
