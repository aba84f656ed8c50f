// RowSet: a set of small integers (rows of a pool, existing nodes, bins) as machine words. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace tenon::scheduling {

class RowSet {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  RowSet() = default;
  explicit RowSet(size_t size, bool full = false) : words_((size + 63) / 64, full ? ~uint64_t{0} : 0) {
    if (full && size % 64 != 0) words_.back() = (uint64_t{1} << size % 64) - 1;
  }

  bool test(size_t i) const { return i / 64 < words_.size() && (words_[i / 64] >> i % 64 & 1U) != 0; }
  void set(size_t i) {
    if (i / 64 >= words_.size()) words_.resize(i / 64 + 1, 0);
    words_[i / 64] |= uint64_t{1} << i % 64;
  }
  void reset(size_t i) {
    if (i / 64 < words_.size()) words_[i / 64] &= ~(uint64_t{1} << i % 64);
  }
  bool none() const {
    for (const uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  bool any() const { return !none(); }
  // The smallest member, or the smallest one above `after`; kNone if there is none.
  size_t first() const { return from(0); }
  size_t next(size_t after) const { return from(after + 1); }
  size_t count() const {
    size_t sum = 0;
    for (const uint64_t word : words_) sum += static_cast<size_t>(std::popcount(word));
    return sum;
  }
  bool intersects(const RowSet& other) const {
    const size_t n = std::min(words_.size(), other.words_.size());
    for (size_t i = 0; i < n; ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  bool within(const RowSet& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & ~(i < other.words_.size() ? other.words_[i] : 0)) != 0) return false;
    }
    return true;
  }
  // The smallest common member; kNone if there is none.
  size_t first_common(const RowSet& other) const {
    const size_t n = std::min(words_.size(), other.words_.size());
    for (size_t i = 0; i < n; ++i) {
      const uint64_t both = words_[i] & other.words_[i];
      if (both != 0) return i * 64 + static_cast<size_t>(std::countr_zero(both));
    }
    return kNone;
  }
  RowSet& operator&=(const RowSet& other) {
    const size_t n = std::min(words_.size(), other.words_.size());
    for (size_t i = 0; i < n; ++i) words_[i] &= other.words_[i];
    std::fill(words_.begin() + static_cast<std::ptrdiff_t>(n), words_.end(), uint64_t{0});
    return *this;
  }
  RowSet& operator-=(const RowSet& other) {
    for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  RowSet& operator|=(const RowSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  void clear() { words_.clear(); }
  size_t hash() const {
    Hash hash;
    for (const uint64_t word : words_) hash.add(word);
    return hash.value();
  }
  friend bool operator==(const RowSet&, const RowSet&) = default;
  friend auto operator<=>(const RowSet&, const RowSet&) = default;

 private:
  size_t from(size_t i) const {
    for (size_t w = i / 64; w < words_.size(); ++w) {
      const uint64_t word = w == i / 64 ? words_[w] >> i % 64 << i % 64 : words_[w];
      if (word != 0) return w * 64 + static_cast<size_t>(std::countr_zero(word));
    }
    return kNone;
  }

  std::vector<uint64_t> words_;
};

}  // namespace tenon::scheduling
