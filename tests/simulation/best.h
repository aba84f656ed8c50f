// The optimum for equal pods, by counting: how many fit on a type, the least price of nodes for so many, and whether a
// set of nodes could be replaced at a lower price. Shares no code with the solver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "model/price.h"
#include "simulation/life.h"

namespace tenon::simulation {

struct Kind {
  std::string type;
  int fits = 0;  // pods of this size
  model::Price price;
};
// Returns the types with room for at least one pod, at their cheapest zone.
std::vector<Kind> kinds(const LifeOptions& options);
model::Price price_now(const LifeOptions& options, const std::string& type, const std::string& zone);

// Returns the least price of nodes for so many pods.
model::Price cheapest(const LifeOptions& options, int pods);

// Returns how many pods still fit beside those that run.
int free_room(const LifeOptions& options, const std::vector<LiveNode>& nodes);

// Returns the description of a set of at most `most` nodes whose pods fit on other nodes and at most one new node at a
// lower price; empty if there is no such set.
std::string better_move(const LifeOptions& options, const std::vector<LiveNode>& nodes, int most);

}  // namespace tenon::simulation
