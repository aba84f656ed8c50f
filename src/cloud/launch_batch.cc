// SPDX-License-Identifier: Apache-2.0
#include "cloud/launch_batch.h"

#include <charconv>

#include "base/text.h"

namespace tenon::cloud {
namespace {

std::optional<int> index_of(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 && value <= kMaxLaunchBatch ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string format_launch_batch(const LaunchBatch& batch) {
  return batch.id + "/" + std::to_string(batch.index) + "/" + std::to_string(batch.size);
}

std::optional<LaunchBatch> parse_launch_batch(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() != 3 || parts[0].empty()) return std::nullopt;
  const auto index = index_of(parts[1]), size = index_of(parts[2]);
  if (!index || !size || *index >= *size) return std::nullopt;
  return LaunchBatch{std::string(parts[0]), *index, *size};
}

std::string format_members(const std::vector<int>& members) {
  std::string text;
  for (size_t first = 0; first < members.size();) {
    size_t last = first;
    while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(members[first]);
    if (last > first) text += "-" + std::to_string(members[last]);
    first = last + 1;
  }
  return text;
}

std::optional<std::vector<int>> parse_members(std::string_view text) {
  std::vector<int> members;
  for (const std::string_view range : split(text, ',')) {
    const auto [from, to] = cut(range, '-');
    const auto first = index_of(from), last = to.empty() ? first : index_of(to);
    if (!first || !last || *first > *last) return std::nullopt;
    for (int member = *first; member <= *last; ++member) members.push_back(member);
  }
  return members;
}

}  // namespace tenon::cloud
