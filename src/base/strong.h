// Strong<Tag>: an int64 with a unit. Same-unit arithmetic only; cross-unit arithmetic does not compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace tenon {

template <class Tag, class Rep = int64_t>
class Strong {
 public:
  constexpr Strong() = default;
  constexpr explicit Strong(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }

  friend constexpr auto operator<=>(Strong, Strong) = default;
  constexpr Strong operator-() const { return Strong(-value_); }
  friend constexpr Strong operator+(Strong a, Strong b) { return Strong(a.value_ + b.value_); }
  friend constexpr Strong operator-(Strong a, Strong b) { return Strong(a.value_ - b.value_); }
  friend constexpr Strong operator*(Strong a, Rep n) { return Strong(a.value_ * n); }
  constexpr Strong& operator+=(Strong other) { return *this = *this + other; }
  constexpr Strong& operator-=(Strong other) { return *this = *this - other; }

 private:
  Rep value_ = 0;
};

// Dense ids: indexes into a table of one snapshot. They never break ties (names do).
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(size_t index) : index_(static_cast<uint32_t>(index)) {}
  constexpr size_t index() const { return index_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  uint32_t index_ = 0;
};

}  // namespace tenon

template <class Tag, class Rep>
struct std::hash<tenon::Strong<Tag, Rep>> {
  size_t operator()(tenon::Strong<Tag, Rep> v) const { return std::hash<Rep>{}(v.value()); }
};
template <class Tag>
struct std::hash<tenon::Id<Tag>> {
  size_t operator()(tenon::Id<Tag> v) const { return v.index(); }
};
