// Problem: pending pods that fit on existing nodes are about to be bound there, and CapacityBuffers keep room free for
// pods that may come. A move must not use this room, and the node that holds it must not count as empty.
//
// Method: one solve() without improvement places all pending pods; the pods of a buffer are pending pods as well. Nodes
// that are being deleted are left out, and their pods are placed too. Pending pods that it places on existing nodes
// keep these places. For pods that need a new node, the provisioner launches one.
//
// Example: of 3 pending pods, solve() places p on node a, the buffer pod q on node b, and r on a new node. `places` is
// {p → a, q → b}, `nodes` is {b}. Emptiness keeps b. Consolidation may remove a or b only if p or q fits elsewhere.
//
// Cost: one solve() without improvement; none if no pod is pending.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/headroom.h"

#include <algorithm>

#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"

namespace tenon::disruption {

Headroom headroom(const scheduling::Snapshot& snapshot, const Options& options) {
  Headroom held;
  std::map<std::string, bool> pending;  // → it is a buffer's
  for (const auto& pod : snapshot.pending) pending[pod->key()] = !pod->spec->buffer.empty();
  if (pending.empty()) return held;
  scheduling::SolveOptions solve = options.solve;
  solve.improvement_steps = 0;
  for (const auto& node : snapshot.nodes) {
    if (node.deleting()) solve.removed_nodes.push_back(node.name());
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
