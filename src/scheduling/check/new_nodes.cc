// Checks of new nodes: types, price, the rules of their NodePool, and its limits.
//
// A node launches as one of its listed types, so each check uses the worst one: all types must hold the pods beside
// their DaemonSets, and a node counts against limits with the maximum of each resource over its types. The types must
// be in order of their cheapest offering, and the launch must be the cheapest offering of the first type.
//
//   limit 20 CPU, 8 in use; two nodes that list types of 4 and 8 CPU count 16  →  24 > 20, error
//
// What nodes with equal lists of types have in common is checked once (world.h, Choice).
//
// Cost: pods × resources for each node, listed types × (resources + labels) for each list; host ports are compared for
// each pair of pods with ports and type.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>

#include "scheduling/check/world.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling::check {
namespace {

bool fits(const Sums& requests, const Sums& room) {
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] > 0 && requests[i] > room[i]) return false;
  }
  return true;
}

// Checks the order of the types, and that they hold their DaemonSets.
Status check_list(const Choice& choice) {
  std::pair<model::Price, std::string_view> before{model::Price(-1), ""};
  for (const size_t index : choice.types()) {
    const Design::Type& type = choice.design().type(index);
    const std::string& name = choice.design().instance_type(index).name;
    const std::pair<model::Price, std::string_view> now{type.cheapest, name};
    if (now <= before) return broken(name + " is not in order of price");
    before = now;
    if (!type.holds_daemons) return broken(name + " is too small");
  }
  return ok();
}

Status check_room(World& world, const Place& place) {
  Sums requests(world.resources().size(), 0);
  std::vector<const model::Pod*> with_ports;
  for (const model::Pod* pod : place.arriving) {
    const Sums& own = world.spec(*pod).requests;
    for (size_t i = 0; i < requests.size(); ++i) requests[i] += own[i];
    if (!pod->spec->host_ports.empty()) with_ports.push_back(pod);
  }
  if (with_ports.empty() && fits(requests, place.choice->least_room())) return ok();
  for (const size_t index : place.choice->types()) {
    const Design::Type& type = place.choice->design().type(index);
    const std::string& name = place.choice->design().instance_type(index).name;
    if (!fits(requests, type.room)) return broken(name + " is too small");
    auto with_daemons = with_ports;
    with_daemons.insert(with_daemons.end(), type.daemons_with_ports.begin(), type.daemons_with_ports.end());
    TRY_IN(name, check_ports(with_daemons));
  }
  return ok();
}

// check_list() has checked that the types are sorted by price.
Status check_launch(const SolveOptions& options, const Place& place) {
  const Launch& launch = place.planned->launch;
  Design& design = place.choice->design();
  for (const size_t index : options.launch_below ? place.choice->types() : std::vector<size_t>{}) {
    if (design.type(index).dearest >= *options.launch_below)
      return broken(design.instance_type(index).name + " may cost too much");
  }
  const size_t first = place.choice->types().front();
  if (design.instance_type(first).name != launch.instance_type) return broken("the launch is not the first type");
  const auto& ways = design.type(first).ways;
  const auto launched = [&](const model::Offering* way) {
    return way->zone == launch.zone && way->capacity_type == launch.capacity_type && way->price == launch.price;
  };
  if (std::none_of(ways.begin(), ways.end(), launched)) return broken("the launch is not among what is open");
  return design.type(first).cheapest == launch.price ? ok() : broken("the launch is not the cheapest offering");
}

Status check_pool_rules(const Place& place) {
  const Pool& of = place.choice->design().pool();
  const PoolView& view = *of.view;
  const model::NodePool& pool = *view.pool;
  if (pool.replicas || pool.meta.deleting() || !view.not_ready.empty()) return broken("the pool launches nothing");
  const Demand* demand = of.demand;
  if (!demand) return broken("the pool's requirements are invalid");
  if (!place.satisfies(*demand)) return broken("the pool's requirements do not hold");
  if (place.planned->taints != pool.node_template.taints) return broken("the taints are not the pool's");
  for (const auto& [key, r] : demand->by_key()) {
    if (!r.min_values()) continue;
    const int least = place.planned->requirements.get(key).min_values().value_or(0);
    if (least < *r.min_values() && !place.planned->min_values_relaxed)
      return broken("minValues of " + key + " was lowered");
    const Values& values = place.choice->values(key);
    const auto allowed =
        std::count_if(values.begin(), values.end(), [&, &asked = r](const std::string& v) { return asked.allows(v); });
    if (static_cast<int>(allowed) < least) return broken("minValues of " + key + " is not met");
  }
  return ok();
}

// Returns what a new node counts against each limit of its NodePool: the maximum over its instance types.
Sums most_of(const Choice& choice, const model::Resources& limits) {
  Sums most(limits.entries().size(), 0);
  for (const size_t index : choice.types()) {
    const model::Resources& capacity = choice.design().instance_type(index).capacity;
    for (size_t i = 0; i < most.size(); ++i) {
      const std::string& name = limits.entries()[i].first;
      most[i] = std::max({most[i], capacity.get(name), int64_t{name == "nodes"}});
    }
  }
  return most;
}

}  // namespace

Status check_new_node(World& world, const Place& place) {
  if (!world.options().may_launch) return broken("nothing may be launched");
  if (place.arriving.empty()) return broken("it is launched for no pod");
  const size_t types = place.choice->types().size();
  if (types == 0 || types > world.options().max_instance_types) return broken("wrong number of types");
  TRY(check_pool_rules(place));
  if (place.choice->first_check()) {
    TRY(check_labels(*place.planned, *place.choice));
    TRY(check_list(*place.choice));
  }
  TRY(check_room(world, place));
  TRY(check_launch(world.options(), place));
  return check_pods(world, place, place.planned->taints);
}

Status check_limits(World& world, const std::vector<Place>& places) {
  std::map<std::string_view, std::vector<const Place*>> new_nodes;  // by pool
  for (const Place& place : places) {
    if (place.planned) new_nodes[place.planned->pool].push_back(&place);
  }
  for (const auto& [name, grows] : new_nodes) {
    const model::NodePool& pool = *grows.front()->choice->design().pool().view->pool;
    if (!pool.limits) continue;
    model::Resources used;
    for (const NodeView& node : world.snapshot().nodes) {
      if (node.pool() == name && !node.deleting() && !world.is_gone(node.name())) used += node.capacity();
    }
    std::unordered_map<const Choice*, Sums> known;
    const auto& limits = pool.limits->entries();
    Sums sum(limits.size(), 0);
    for (const Place* place : grows) {
      Sums& most = known[place->choice];
      if (most.empty()) most = most_of(*place->choice, *pool.limits);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += most[i];
    }
    for (size_t i = 0; i < sum.size(); ++i) {
      if (used.get(limits[i].first) + sum[i] > limits[i].second)
        return broken("NodePool " + pool.meta.name + " would pass its limit of " + limits[i].first);
    }
  }
  return ok();
}

}  // namespace tenon::scheduling::check
