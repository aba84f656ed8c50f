// What a lower bound looks at: how many pods of which size there are, and the kinds of node that could hold them. It
// knows less than the solver does, so its cheapest plan is never dearer than the problem's. Dropped are: limits,
// minValues, host ports, limits of volumes, topology but for hosts (below), and who prefers what. What is kept holds
// for every plan:
//   resources      the pods of a node ask for no more than it has free; sizes are rounded down where some are merged
//   requirements,  a pod may use a row or a node only if some form of it, with some variant, may: what it prefers, and
//   taints         which term or volume of several it takes, is left open
//   DaemonSets     a type has free what the pool's daemons leave of it, which is what the solver fills
//   nodes          those that are there are free of charge, one of each, with the room that their pods leave
//   reservations   no more nodes than the reservation has left, counted anew for each row of it
//   hosts          a spread or anti-affinity by hostname lets a node have so many of the pods that it binds and counts;
//                  pods of two rules do not share that number, those of one rule do
//   weights        if each pod of the solution has the heaviest pool that it could have, a plan with lighter pools is
//                  worse at any price
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/problem.h"

namespace tenon::scheduling {

inline constexpr int64_t kAsManyAsNeeded = -1;

struct Demand {
  Amounts requests;      // of one pod, by Problem::resources
  int64_t count = 0;     // pods
  int group = kNone;     // demands of one group share a cap:
  int64_t together = 0;  // a host takes at most so many of all their pods
};

struct Kind {
  Amounts free;
  model::Price price;         // of one such node; zero for nodes that are there
  std::vector<int64_t> caps;  // by demand: how many of its pods one node may take; 0: none
  int64_t copies = kAsManyAsNeeded;
  int64_t hosts = 1;  // that it stands for
};

struct Relaxation {
  std::vector<Demand> demands;
  std::vector<Kind> kinds;  // none that another one makes needless
};

// Each pod for which the solution launches a node has the heaviest NodePool that it could have.
bool none_is_lighter(const Problem& problem, const Solution& solution);

// Makes the relaxation of the pods that this solution places. It leaves lighter NodePools out if none_is_lighter().
Relaxation relax(const Problem& problem, const Solution& solution);

}  // namespace tenon::scheduling
