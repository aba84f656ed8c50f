// check_solution() proves a plan valid without the solver's data structures, so that an error in the solver cannot hide
// itself. It works in three steps:
//
//   1. Places. Every existing and new node becomes a Place with its running and arriving pods. Each pod to place must
//      appear exactly once: on one node, or among the unschedulable ones with a reason.
//   2. Node by node. Taints, node requirements, resources, ports, volumes, labels, price.
//   3. Across nodes. The total price, reservations, the number of nodes, limits, topology.
//
// A new node may still become any of its listed types, in any open offering. So rules must hold for every outcome: its
// pods fit on every type, limits are charged with the largest one, and anti-affinity counts its pods in every open
// zone. Nodes that differ only in names, pods and lists of types share a Design, which stores the answers by type;
// those with equal lists share a Choice, which stores them for the list.
//
//   new-0 lists c5.large and m5.large in zones a and b; a pod with a spread by zone is on it  →  error: "leaves … open"
//
// Cost: about pods + nodes + lists of types × (listed types + labels) + designs × types × distinct requirements;
// topology adds kinds × domains.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/check/check_solution.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "scheduling/check/world.h"
#include "scheduling/input/eviction.h"

namespace tenon::scheduling {
namespace {

using check::broken;
using check::Place;

// The namespace and name of a pod.
struct PodName {
  std::string_view ns, name;
  explicit PodName(const model::Pod& pod) : ns(pod.meta.ns), name(pod.meta.name) {}
  explicit PodName(std::string_view key) : ns(key.substr(0, key.find('/'))), name(key.substr(key.find('/') + 1)) {}
  friend bool operator==(const PodName&, const PodName&) = default;
};

struct HashOfName {
  size_t operator()(const PodName& pod) const {
    Hash hash;
    hash.add(pod.ns);
    hash.add(pod.name);
    return hash.value();
  }
};

struct ToPlace {
  const model::Pod* pod = nullptr;
  bool seen = false;
};

using PodsToPlace = std::unordered_map<PodName, ToPlace, HashOfName>;

PodsToPlace pods_to_place(const Snapshot& snapshot, const check::World& world) {
  PodsToPlace pods;
  pods.reserve(snapshot.pending.size());
  for (const PodPtr& pod : snapshot.pending) pods[PodName(*pod)] = {pod.get()};
  for (const NodeView& node : snapshot.nodes) {
    if (!world.is_gone(node.name())) continue;
    for (const PodPtr& pod : node.pods) {
      const bool moves = node.deleting() ? leaves_draining_node(snapshot, *pod) : reschedulable(*pod);
      if (moves) pods.try_emplace(PodName(*pod), ToPlace{pod.get()});
    }
  }
  return pods;
}

class Checker {
 public:
  Checker(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution)
      : snapshot_(snapshot), solution_(solution), world_(snapshot, options), pods_(pods_to_place(snapshot, world_)) {}

  Status run();

 private:
  Status place_pods(const std::vector<std::string>& keys, Place& place);
  Status make_existing();
  Status make_new();
  Status check_unschedulable();
  Status check_reservations() const;
  Status check_size() const;

  const Snapshot& snapshot_;
  const Solution& solution_;
  check::World world_;
  PodsToPlace pods_;
  size_t seen_ = 0;  // of pods_
  std::vector<Place> places_;
};

Status Checker::place_pods(const std::vector<std::string>& keys, Place& place) {
  if (!std::is_sorted(keys.begin(), keys.end())) return broken(place.name + ": pods are not sorted");
  for (const std::string& key : keys) {
    const auto at = pods_.find(PodName(key));
    if (at == pods_.end()) return broken(place.name + ": pod " + key + " is not to be placed");
    if (std::exchange(at->second.seen, true)) return broken("pod " + key + " has two places");
    ++seen_;
    place.arriving.push_back(at->second.pod);
  }
  return ok();
}

Status Checker::make_existing() {
  size_t used = 0;
  for (const NodeView& node : snapshot_.nodes) {
    const std::string& name = node.name();
    if (world_.is_gone(name)) continue;
    Place place;
    place.name = name;
    place.view = &node;
    place.running.reserve(node.pods.size());
    for (const PodPtr& pod : node.pods) {
      if (!pods_.contains(PodName(*pod))) place.running.push_back(pod.get());
    }
    if (const auto at = solution_.existing.find(name); at != solution_.existing.end()) {
      if (node.deleting() || world_.is_closed(name)) return broken(name + " takes no pods");
      ++used;
      TRY(place_pods(at->second, place));
    }
    places_.push_back(std::move(place));
  }
  return used == solution_.existing.size() ? ok() : broken("the plan uses a node that is not there");
}

Status Checker::make_new() {
  for (const PlannedNode& node : solution_.new_nodes) {
    Place place;
    place.name = node.id;
    place.planned = &node;
    const check::Pool* pool = world_.pool(node.pool);
    if (!pool) return broken(node.id + ": no NodePool " + node.pool);
    place.choice = TRY_IN(node.id, world_.design(*pool, node).choice(node.instance_types));
    TRY(place_pods(node.pods, place));
    places_.push_back(std::move(place));
  }
  return ok();
}

Status Checker::check_reservations() const {
  std::map<std::string, int> used, most;
  for (const PoolView& view : snapshot_.pools) {
    if (!view.types) continue;
    for (const auto& type : *view.types) {
      for (const auto& o : type.offerings) {
        if (o.reservation_id.empty()) continue;
        const auto [at, fresh] = most.emplace(o.reservation_id, o.reservation_capacity);
        if (!fresh) at->second = std::min(at->second, o.reservation_capacity);
      }
    }
  }
  for (const PlannedNode& node : solution_.new_nodes) {
    if (node.launch.reservation_id.empty()) continue;
    if (++used[node.launch.reservation_id] > most[node.launch.reservation_id]) {
      return broken("reservation " + node.launch.reservation_id + " is oversold");
    }
  }
  return ok();
}

Status Checker::check_size() const {
  if (!world_.options().max_nodes || solution_.new_nodes.empty()) return ok();
  auto count = static_cast<int64_t>(solution_.new_nodes.size());
  for (const NodeView& node : snapshot_.nodes) {
    const bool node_ends = node.node && node.node->meta.deleting();
    const bool claim_ends = node.claim && (node.claim->meta.deleting() || node.claim->is(model::kInstanceTerminating));
    if (!node_ends && !claim_ends) ++count;
  }
  if (count <= *world_.options().max_nodes) return ok();
  return broken("the cluster would have " + std::to_string(count) + " nodes of " +
                std::to_string(*world_.options().max_nodes) + " at most");
}

Status Checker::check_unschedulable() {
  for (const auto& [key, why] : solution_.unschedulable) {
    const auto at = pods_.find(PodName(key));
    if (at == pods_.end()) return broken("pod " + key + " is not to be placed");
    if (std::exchange(at->second.seen, true)) return broken("pod " + key + " is placed and unschedulable");
    ++seen_;
    if (why.message.empty()) return broken("pod " + key + " is unschedulable without a reason");
  }
  return seen_ == pods_.size() ? ok() : broken("some pod is forgotten");
}

Status Checker::run() {
  places_.reserve(snapshot_.nodes.size() + solution_.new_nodes.size());
  TRY(make_existing());
  TRY(make_new());
  TRY(check_unschedulable());
  model::Price sum;
  for (const Place& place : places_) {
    if (place.planned) {
      TRY_IN(place.name, check::check_new_node(world_, place));
      sum += place.planned->launch.price;
    } else {
      TRY_IN(place.name, check::check_existing_node(world_, place));
    }
  }
  if (sum != solution_.price) return broken("the price is not the sum of the nodes' prices");
  TRY(check_reservations());
  TRY(check_size());
  TRY(check::check_limits(world_, places_));
  return check::check_topology(world_, places_);
}

}  // namespace

Status check_solution(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  return Checker(snapshot, options, solution).run();
}

}  // namespace tenon::scheduling
