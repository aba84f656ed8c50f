// The cluster as it will be when the moves that a pass has found so far are made, so that no further move counts on
// the same room, budget or node again. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disruption/disruption.h"

namespace tenon::disruption {

class Rehearsal {
 public:
  // `now` must outlive it; it is copied when the first move is played. Moves that wait are played at once.
  Rehearsal(const scheduling::Snapshot& now, Options options);

  // Invalid after the next play(), as is what refers to it.
  const scheduling::Snapshot& snapshot() const { return changed_ ? *changed_ : now_; }
  // With the moves that were played among those in progress or waiting.
  const Options& options() const { return options_; }
  // Its nodes go, its pods are where it sends them, its replacements are on their way.
  void play(const Move& move);

 private:
  void change(const Move& move);

  const scheduling::Snapshot& now_;
  std::optional<scheduling::Snapshot> changed_;
  Options options_;
  int moves_ = 0;
};

}  // namespace tenon::disruption
