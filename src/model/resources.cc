// SPDX-License-Identifier: Apache-2.0
#include "model/resources.h"

#include <algorithm>
#include <array>

namespace tenon::model {
namespace {

struct ByName {
  bool operator()(const Resources::Entry& entry, std::string_view name) const { return entry.first < name; }
};

int64_t add_clamped(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

// Returns the shortest exact text with a suffix: "1500k", "3Gi".
std::string in_steps(int64_t amount, int64_t step) {
  constexpr std::array<std::string_view, 7> binary{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr std::array<std::string_view, 7> decimal{"", "k", "M", "G", "T", "P", "E"};
  size_t power = 0;
  for (; amount != 0 && power + 1 < binary.size() && amount % step == 0; ++power) amount /= step;
  return std::to_string(amount) + std::string((step == 1000 ? decimal : binary)[power]);
}

}  // namespace

Resources::Resources(std::initializer_list<Entry> entries) {
  for (const auto& [name, amount] : entries) add(name, amount);
}

int64_t Resources::get(std::string_view name) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name, ByName{});
  return at != entries_.end() && at->first == name ? at->second : 0;
}

bool Resources::has(std::string_view name) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name, ByName{});
  return at != entries_.end() && at->first == name;
}

void Resources::set(std::string_view name, int64_t amount) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name, ByName{});
  if (at != entries_.end() && at->first == name) {
    at->second = amount;
  } else {
    entries_.emplace(at, name, amount);
  }
}

void Resources::add(std::string_view name, int64_t amount) { set(name, add_clamped(get(name), amount)); }

void Resources::set_ceil(std::string_view name, const Quantity& quantity) {
  set(name, name == kCpu ? quantity.ceil_milli() : quantity.ceil_units());
}
void Resources::set_floor(std::string_view name, const Quantity& quantity) {
  set(name, name == kCpu ? quantity.floor_milli() : quantity.floor_units());
}

Resources& Resources::operator+=(const Resources& other) {
  size_t at = 0;  // both are sorted
  for (const auto& [name, amount] : other.entries_) {
    while (at < entries_.size() && entries_[at].first < name) ++at;
    if (at < entries_.size() && entries_[at].first == name) {
      entries_[at].second = add_clamped(entries_[at].second, amount);
    } else {
      entries_.emplace(entries_.begin() + static_cast<std::ptrdiff_t>(at), name, amount);
    }
  }
  return *this;
}

Resources& Resources::operator-=(const Resources& other) {
  for (const auto& [name, amount] : other.entries_) add(name, amount == INT64_MIN ? INT64_MAX : -amount);
  return *this;
}

Resources Resources::max(const Resources& a, const Resources& b) {
  Resources result = a;
  for (const auto& [name, amount] : b.entries_) result.set(name, std::max(result.get(name), amount));
  for (auto& [name, amount] : result.entries_) {
    if (!b.has(name)) amount = std::max<int64_t>(amount, 0);
  }
  return result;
}

bool Resources::fits(const Resources& capacity) const {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.second <= 0 || entry.second <= capacity.get(entry.first);
  });
}

bool Resources::any_negative() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.second < 0; });
}

std::string format_amount(std::string_view resource, int64_t amount) {
  if (resource == kCpu) return amount % 1000 == 0 ? in_steps(amount / 1000, 1000) : std::to_string(amount) + "m";
  const bool bytes = resource == kMemory || resource == kEphemeralStorage || resource.starts_with("hugepages-");
  std::string decimal = in_steps(amount, 1000);
  if (!bytes) return decimal;
  // The original notation is unknown. Binary is preferred unless decimal is shorter by two characters or more: 1000Ki,
  // not 1024k, but 10G, not 9765625Ki.
  std::string binary = in_steps(amount, 1024);
  return decimal.size() + 1 < binary.size() ? decimal : binary;
}

}  // namespace tenon::model
