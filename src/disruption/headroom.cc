// SPDX-License-Identifier: Apache-2.0
#include "disruption/headroom.h"

#include <algorithm>

namespace tenon::disruption {

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options) {
  Headroom held;
  std::map<std::string, bool> pending;  // → it is a buffer's
  for (const auto& pod : snapshot.pending) pending[pod->key()] = !pod->spec->buffer.empty();
  if (pending.empty()) return held;
  scheduling::SolveOptions solve = options.solve;
  solve.improvement_steps = 0;
  for (const auto& node : snapshot.nodes) {
    if (node.deleting()) solve.without_nodes.push_back(node.name());
  }
  const scheduling::Solution solution = scheduling::solve(snapshot, solve);
  for (const auto& [name, keys] : solution.existing) {
    for (const std::string& key : keys) {
      const auto pod = pending.find(key);
      if (pod == pending.end()) continue;
      held.places[key] = name;
      if (pod->second) held.nodes.insert(name);
    }
  }
  return held;
}

}  // namespace tenon::disruption
