// Entries with a due time, ordered by time and, for equal times, by insertion. Owned by one actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/instant.h"

namespace tenon::kubesim {

template <class T>
class Timers {
 public:
  void add(Instant when, T what) { entries_.emplace(when, std::move(what)); }
  Instant next() const { return entries_.empty() ? kNever : entries_.begin()->first; }
  // Returns and removes the earliest entry that is due; std::nullopt if none is due.
  std::optional<T> pop(Instant now) {
    if (entries_.empty() || entries_.begin()->first > now) return std::nullopt;
    std::optional<T> what = std::move(entries_.begin()->second);
    entries_.erase(entries_.begin());
    return what;
  }
  bool empty() const { return entries_.empty(); }

 private:
  std::multimap<Instant, T> entries_;  // equal keys keep their order of insertion
};

}  // namespace tenon::kubesim
