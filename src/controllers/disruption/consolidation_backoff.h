// Moves that turned out wrong. The cluster's scheduler decides where pods run, and may choose other nodes than a move
// has planned. Then a node is launched for pods that a move has just displaced, and the next move would save its price
// again. Such pods rest: they stay on their nodes for a while, longer each time, and for a day if nothing about them or
// the NodePools has changed since, because a move that went wrong twice would go wrong again. So launches and moves do
// not alternate endlessly. In memory only: a restart costs two more such moves for each workload, because no object in
// the cluster records why they were made.
// Thread rule: only the disruption loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controllers/disruption/command.h"

namespace tenon::controllers::disruption {

inline constexpr Duration kRelaunchWindow = 2min;  // after the end of a move; later launches have other reasons
inline constexpr Duration kFirstRest = 5min;       // after the second wrong move; doubles
inline constexpr Duration kLongestRest = 30min;
inline constexpr Duration kUnchangedRest = 24h;  // while there are as many pods and the same NodePools
inline constexpr Duration kRestForgotten = 1h;   // after the end of a rest

class ConsolidationBackoff {
 public:
  // Records the NodeClaim of a replacement of ours: it was not launched for lack of capacity.
  void record_replacement(const std::string& claim, Instant now);
  // Records that the nodes of this command are deleted now; the snapshot still holds their pods.
  void record_move(const Command& command, const scheduling::Snapshot& now);
  // Finds the moves that were wrong. Fast if there were no moves lately.
  void detect_wrong_moves(const scheduling::Snapshot& now);
  // Returns whether the move would evict pods that rest.
  bool blocks(const tenon::disruption::Move& move, const scheduling::Snapshot& now) const;

 private:
  using Owners = std::set<std::string>;  // UIDs of the controllers of pods, which recreate them
  struct Made {
    Instant at{};
    Owners owners;
  };
  struct Rest {
    int times = 0;
    Instant begun{}, until{};
    size_t pods = 0;    // of the owner, when the rest began
    std::string pools;  // the NodePools with their generations, at that time
  };
  void back_off(const Owners& owners, const scheduling::Snapshot& now);
  static bool rests(const std::string& owner, const Rest& rest, const scheduling::Snapshot& now);

  std::vector<Made> made_;  // recent moves
  std::map<std::string, Instant> replacements_;
  std::map<std::string, Rest> rests_;  // by owner
};

}  // namespace tenon::controllers::disruption
