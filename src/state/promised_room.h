// Room that a disruption command has found for the pods of nodes that go: on nodes that stay or are on their way. While
// these pods still run where they do, nobody else plans with that room, and nothing is bought for them again.
// Thread rule: every call may come from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "scheduling/snapshot.h"

namespace tenon::state {

class PromisedRoom {
 public:
  // `node`: by the name of its NodeClaim or Node. A later promise for a pod takes the place of an earlier one.
  void promise(const std::string& node, const std::vector<std::string>& pods);
  // Puts pods of nodes that go where they were promised to, as far as both are still there; what has come to nothing is
  // forgotten. The names of the nodes that they are put on.
  std::set<std::string> keep(scheduling::Snapshot& snapshot);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> node_by_pod_;
};

}  // namespace tenon::state
