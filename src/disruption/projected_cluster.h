// ProjectedCluster: the cluster as it will be after the moves that a pass has found so far, so that no further move
// counts on the same room, budget or node. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disruption/disruption.h"

namespace tenon::disruption {

class ProjectedCluster {
 public:
  // Borrows `now`, and copies it when the first move is played. Plays the waiting moves of the options at once.
  ProjectedCluster(const scheduling::Snapshot& now, Options options);

  // The reference and pointers into the snapshot are invalid after the next apply().
  const scheduling::Snapshot& snapshot() const { return changed_ ? *changed_ : now_; }
  // The options, with the played moves added to those in progress or waiting.
  const Options& options() const { return options_; }
  // Changes the snapshot: the move's pods are on their targets, and its replacements are nodes in flight. Changes the
  // options: the move is in progress or waiting.
  void apply(const Move& move);

 private:
  void change(const Move& move);

  const scheduling::Snapshot& now_;
  std::optional<scheduling::Snapshot> changed_;
  Options options_;
  int moves_ = 0;
};

}  // namespace tenon::disruption
