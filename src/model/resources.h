// Resources: amounts by resource name. CPU is in millicores, everything else in whole units (bytes, devices, pods).
// An absent name counts as zero. Iteration is by name. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/quantity.h"

namespace tenon::model {

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kPods = "pods";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";

class Resources {
 public:
  using Entry = std::pair<std::string, int64_t>;

  Resources() = default;
  Resources(std::initializer_list<Entry> entries);

  int64_t get(std::string_view name) const;
  bool has(std::string_view name) const;
  void set(std::string_view name, int64_t amount);
  void add(std::string_view name, int64_t amount);  // saturates at the ends of int64
  // set_ceil() rounds up, for requests; set_floor() rounds down, for capacities.
  void set_ceil(std::string_view name, const Quantity& quantity);
  void set_floor(std::string_view name, const Quantity& quantity);

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);  // may go negative
  friend Resources operator+(Resources a, const Resources& b) { return a += b; }
  friend Resources operator-(Resources a, const Resources& b) { return a -= b; }
  // Returns the larger amount for each name.
  static Resources max(const Resources& a, const Resources& b);
  // Returns whether every amount is at most that of the capacity. A positive amount does not fit an absent name.
  bool fits(const Resources& capacity) const;
  bool any_negative() const;

  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }
  friend bool operator==(const Resources&, const Resources&) = default;

 private:
  std::vector<Entry> entries_;  // sorted by name
};

// Returns the amount as an API server writes it: cpu "1500m" or "2", bytes with the binary or decimal suffix that gives
// the shorter text, others with a decimal suffix.
std::string format_amount(std::string_view resource, int64_t amount);

}  // namespace tenon::model
