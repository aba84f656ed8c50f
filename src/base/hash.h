// Hash: combines several parts into one hash for tables in memory. Not stable between builds: no result may depend on
// it, only speed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace tenon {

class Hash {
 public:
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }
  void add(size_t value) { hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15ULL + (hash_ >> 29); }
  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

}  // namespace tenon
