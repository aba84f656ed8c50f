// Relaxation: the problem that a lower bound solves. It says how many pods of which size there are, and which kinds of
// node could hold them. It has fewer constraints than the solver's problem, so its cheapest plan is never more
// expensive. Dropped are: limits, minValues, host ports, volume limits, topology except by hostname (below), and
// preferences. The kept constraints hold for every plan:
//   resources      the requests of a node's pods fit in its free resources; merged sizes are rounded down
//   requirements,  a pod may use a row or a node only if some form and variant of it may: its preferences, and the
//   taints         choice among its terms and volumes, are open
//   DaemonSets     a type's free resources exclude its pool's DaemonSets, as in the solver
//   nodes          existing nodes cost nothing; there is one of each, with the room that its pods leave
//   reservations   no more nodes than the reservation has left, counted separately for each row of it
//   hosts          a spread or anti-affinity by hostname limits the number of pods on a node that it binds and counts;
//                  pods of one rule share this limit, pods of different rules do not
//   weights        if each pod of the solution has the heaviest pool that it could have, a plan with lighter pools is
//                  worse at any price
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/compile/problem.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling {

inline constexpr int64_t kAsManyAsNeeded = -1;

struct Demand {
  Amounts requests;      // of one pod, by Problem::resources
  int64_t count = 0;     // pods
  int group = kNone;     // demands of one group share a cap
  int64_t together = 0;  // the cap: pods of the group on one host
};

struct Kind {
  Amounts free;
  model::Price price;         // of one such node; zero for existing nodes
  std::vector<int64_t> caps;  // by demand: the most of its pods on one node; 0: none
  int64_t copies = kAsManyAsNeeded;
  int64_t hosts = 1;  // that it represents
};

struct Relaxation {
  std::vector<Demand> demands;
  std::vector<Kind> kinds;  // without dominated ones
};

// Returns true if each pod on a new node has the heaviest NodePool that it could have.
bool none_is_lighter(const Problem& problem, const Solution& solution);

// Makes the relaxation of the pods that this solution places. Omits lighter NodePools if none_is_lighter().
Relaxation relax(const Problem& problem, const Solution& solution);

}  // namespace tenon::scheduling
