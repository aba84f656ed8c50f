// Moves that turned out wrong. The cluster's scheduler decides where pods go, and it need not be where a move has room
// for them; then a node is bought for pods that a move has just displaced, and the next move would save its price
// again. Such pods are left where they are for a while, longer each time, and for a day if nothing about them or the
// NodePools has changed since: what went wrong twice would go wrong again. So the two never chase each other.
// Forgotten with the process: a restart costs two more such moves of each workload, of which nothing in the cluster
// tells a later reader what they were for. Not thread-safe: of the disruption loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controllers/disruption/command.h"

namespace tenon::controllers::disruption {

inline constexpr Duration kBoughtAfter = 2min;  // the move's end; what is bought later has other reasons
inline constexpr Duration kFirstRest = 5min;    // once it has happened twice; doubles
inline constexpr Duration kLongestRest = 30min;
inline constexpr Duration kUnchangedRest = 24h;  // while there are as many pods and the same NodePools
inline constexpr Duration kRestForgotten = 1h;   // after its end

class Hindsight {
 public:
  // A replacement of ours, by its NodeClaim: it was not bought for lack of room.
  void ours(const std::string& claim, Instant now);
  // The nodes of this command go now; their pods are in the snapshot still.
  void done(const Command& command, const scheduling::Snapshot& now);
  // Finds out which moves were wrong. Cheap if there were none lately.
  void look(const scheduling::Snapshot& now);
  // Would it disturb pods that rest?
  bool holds(const tenon::disruption::Move& move, const scheduling::Snapshot& now) const;

 private:
  using Owners = std::set<std::string>;  // UIDs of what made the pods, and will make them anew
  struct Made {
    Instant at{};
    Owners owners;
  };
  struct Rest {
    int times = 0;
    Instant begun{}, until{};
    size_t pods = 0;    // of the owner, when it began
    std::string pools;  // and the NodePools with their generations
  };
  void regret(const Owners& owners, const scheduling::Snapshot& now);
  static bool rests(const std::string& owner, const Rest& rest, const scheduling::Snapshot& now);

  std::vector<Made> made_;  // lately
  std::map<std::string, Instant> ours_;
  std::map<std::string, Rest> rests_;  // by owner
};

}  // namespace tenon::controllers::disruption
