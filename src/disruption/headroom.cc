// SPDX-License-Identifier: Apache-2.0
#include "disruption/headroom.h"

#include <algorithm>

namespace tenon::disruption {

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options) {
  Headroom held;
  std::set<std::string> virtual_pods;
  for (const auto& pod : snapshot.pending) {
    if (!pod->spec->buffer.empty()) virtual_pods.insert(pod->key());
  }
  if (virtual_pods.empty()) return held;
  scheduling::SolveOptions solve = options.solve;
  solve.improvement_steps = 0;
  for (const auto& node : snapshot.nodes) {
    if (node.deleting()) solve.without_nodes.push_back(node.name());
  }
  const scheduling::Solution solution = scheduling::solve(snapshot, solve);
  for (const auto& [name, keys] : solution.existing) {
    for (const std::string& key : keys) {
      if (!virtual_pods.contains(key)) continue;
      held.nodes.insert(name);
      held.pods.insert(key);
    }
  }
  return held;
}

}  // namespace tenon::disruption
