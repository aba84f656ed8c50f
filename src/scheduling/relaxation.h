// What a lower bound looks at: how many pods of which size there are, and the kinds of node that could hold them. It
// knows less than the solver does, so its cheapest plan is never dearer than the problem's. Dropped are: limits,
// minValues, host ports, volumes, topology (but for how many pods of a class one host may take), and who prefers what.
// Kept are: resources, requirements and taints, DaemonSet overhead, weights, reservations and the room on nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/problem.h"

namespace tenon::scheduling {

inline constexpr int64_t kAsManyAsNeeded = -1;

struct Demand {
  Amounts requests;   // of one pod, by Problem::resources
  int64_t count = 0;  // pods
};

struct Kind {
  Amounts free;
  model::Price price;         // of one such node; zero for nodes that are there
  std::vector<int64_t> caps;  // by demand: how many of its pods one node may take; 0: none
  int64_t copies = kAsManyAsNeeded;
};

struct Relaxation {
  std::vector<Demand> demands;
  std::vector<Kind> kinds;  // none that another one makes needless
};

// Of the pods that this solution places. If it buys from the heaviest pools alone, so does every plan as good
// (weight goes before price), and lighter pools are left out.
Relaxation relax(const Problem& problem, const Solution& solution);

}  // namespace tenon::scheduling
