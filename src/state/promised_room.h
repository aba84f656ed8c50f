// Room that a disruption command reserves for the pods of the nodes that it removes, on nodes that stay or are being
// launched. While these pods still run on their old nodes, no other decision uses that room or launches nodes for the
// same pods.
// Thread rule: every call may come from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "scheduling/input/snapshot.h"

namespace tenon::state {

class PromisedRoom {
 public:
  // Reserves room; `node`: the name of its NodeClaim or Node. A later promise for a pod replaces an earlier one.
  void promise(const std::string& node, const std::vector<std::string>& pods);
  // Moves pods from nodes that are being deleted to their promised nodes, if both still exist; drops all other
  // promises, except those whose node is still being launched with the pod on it. Returns the names of the nodes that
  // pods were moved to.
  std::set<std::string> keep(scheduling::Snapshot& snapshot);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> node_by_pod_;
};

}  // namespace tenon::state
