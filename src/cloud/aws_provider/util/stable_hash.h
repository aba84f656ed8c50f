// A 64-bit hash over a list of texts that is the same in every build and on every machine: for names and drift
// annotations. FNV-1a over length-prefixed items, then mixed. Not for secrets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/meta.h"

namespace tenon::cloud {

class StableHash {
 public:
  StableHash& add(std::string_view text) {
    add_number(text.size());
    for (const char c : text) byte(static_cast<unsigned char>(c));
    return *this;
  }
  StableHash& add_number(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<unsigned char>(number >> shift));
    return *this;
  }
  StableHash& add_map(const model::StringMap& map) {
    add_number(map.size());
    for (const auto& [key, value] : map) add(key).add(value);
    return *this;
  }
  // Absent and zero differ.
  template <class T>
  StableHash& add_optional(const std::optional<T>& value) {
    add_number(value ? 1 : 0);
    return value ? add_number(static_cast<uint64_t>(*value)) : *this;
  }
  uint64_t value() const {
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  void byte(unsigned char c) { state_ = (state_ ^ c) * 0x100000001b3; }
  uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace tenon::cloud
