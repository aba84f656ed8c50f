// What would be best for equal pods, by counting: how many fit on a type, what nodes for so many cost at the least, and
// whether a set of nodes could be traded for something cheaper. Shares nothing with the solver.
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
  int fits = 0;  // pods of the size in question
  model::Price price;
};
// The types with room for at least one pod, at their cheapest zone.
std::vector<Kind> kinds(const LifeOptions& options);
model::Price price_now(const LifeOptions& options, const std::string& type, const std::string& zone);

// The least that nodes for so many pods cost.
model::Price cheapest(const LifeOptions& options, int pods);

// Pods that still fit beside those that are there.
int free_room(const LifeOptions& options, const std::vector<LiveNode>& nodes);

// A set of at most `most` of the nodes could go, their pods moving to free room on the others and to at most one new
// node, for less money. Says which; empty if there is no such set.
std::string better_move(const LifeOptions& options, const std::vector<LiveNode>& nodes, int most);

}  // namespace tenon::simulation
