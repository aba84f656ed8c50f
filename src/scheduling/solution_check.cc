// SPDX-License-Identifier: Apache-2.0
#include "scheduling/solution_check.h"

#include <algorithm>

#include "scheduling/eviction.h"

namespace tenon::scheduling {
namespace {

using check::Place;

tl::unexpected<Error> broken(const std::string& what) { return fail(Code::kInternal, what); }

std::map<std::string, PodPtr> pods_to_place(const Snapshot& snapshot, const SolveOptions& options) {
  std::map<std::string, PodPtr> pods;
  for (const PodPtr& pod : snapshot.pending) pods[pod->key()] = pod;
  for (const NodeView& node : snapshot.nodes) {
    if (std::find(options.without_nodes.begin(), options.without_nodes.end(), node.name()) ==
        options.without_nodes.end())
      continue;
    for (const PodPtr& pod : node.pods) {
      const bool moves = node.deleting() ? leaves_draining_node(snapshot, *pod) : reschedulable(*pod);
      if (moves) pods.emplace(pod->key(), pod);
    }
  }
  return pods;
}

class Checker {
 public:
  Checker(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution)
      : snapshot_(snapshot), options_(options), solution_(solution), pods_(pods_to_place(snapshot, options)) {}

  Status run();

 private:
  Status place_pods(const std::vector<std::string>& keys, Place& place);
  Status make_places();
  Status check_reservations() const;
  Status check_size() const;

  const Snapshot& snapshot_;
  const SolveOptions& options_;
  const Solution& solution_;
  std::map<std::string, PodPtr> pods_;
  std::set<std::string> seen_;
  std::vector<Place> places_;
};

Status Checker::place_pods(const std::vector<std::string>& keys, Place& place) {
  if (!std::is_sorted(keys.begin(), keys.end())) return broken(place.name + ": pods are not sorted");
  for (const std::string& key : keys) {
    const auto at = pods_.find(key);
    if (at == pods_.end()) return broken(place.name + ": pod " + key + " is not to be placed");
    if (!seen_.insert(key).second) return broken("pod " + key + " has two places");
    place.arriving.push_back(at->second);
  }
  return ok();
}

Status Checker::make_places() {
  std::set<std::string> used;
  for (const NodeView& node : snapshot_.nodes) {
    const std::string& name = node.name();
    const auto listed = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (listed(options_.without_nodes)) continue;
    Place place;
    place.name = name;
    place.view = &node;
    for (const PodPtr& pod : node.pods) {
      if (!pods_.contains(pod->key())) place.running.push_back(pod);
    }
    if (const auto at = solution_.existing.find(name); at != solution_.existing.end()) {
      if (node.deleting() || listed(options_.closed_nodes)) return broken(name + " takes no pods");
      used.insert(name);
      TRY(place_pods(at->second, place));
    }
    places_.push_back(std::move(place));
  }
  if (used.size() != solution_.existing.size()) return broken("the plan uses a node that is not there");
  for (const PlannedNode& node : solution_.new_nodes) {
    Place place;
    place.name = node.id;
    place.planned = &node;
    const auto pool = std::find_if(snapshot_.pools.begin(), snapshot_.pools.end(),
                                   [&](const PoolView& view) { return view.pool->meta.name == node.pool; });
    if (pool == snapshot_.pools.end()) return broken(node.id + ": no NodePool " + node.pool);
    place.pool = &*pool;
    if (pool->types) place.outcomes = check::outcomes_of(node, *pool->types);
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
  if (!options_.max_nodes || solution_.new_nodes.empty()) return ok();
  auto count = static_cast<int64_t>(solution_.new_nodes.size());
  for (const NodeView& node : snapshot_.nodes) {
    const bool node_ends = node.node && node.node->meta.deleting();
    const bool claim_ends = node.claim && (node.claim->meta.deleting() || node.claim->is(model::kInstanceTerminating));
    if (!node_ends && !claim_ends) ++count;
  }
  if (count <= *options_.max_nodes) return ok();
  return broken("the cluster would have " + std::to_string(count) + " nodes of " + std::to_string(*options_.max_nodes) +
                " at most");
}

Status Checker::run() {
  TRY(make_places());
  for (const auto& [key, why] : solution_.unschedulable) {
    if (!pods_.contains(key)) return broken("pod " + key + " is not to be placed");
    if (!seen_.insert(key).second) return broken("pod " + key + " is placed and unschedulable");
    if (why.message.empty()) return broken("pod " + key + " is unschedulable without a reason");
  }
  if (seen_.size() != pods_.size()) return broken("some pod is forgotten");
  model::Price sum;
  for (const Place& place : places_) {
    if (place.planned) {
      TRY_IN(place.name, check::check_new_node(snapshot_, options_, place));
      sum += place.planned->launch.price;
    } else {
      TRY_IN(place.name, check::check_existing_node(snapshot_, place));
    }
  }
  if (sum != solution_.price) return broken("the price is not the sum of the nodes' prices");
  TRY(check_reservations());
  TRY(check_size());
  TRY(check::check_limits(snapshot_, options_, places_));
  return check::check_topology(snapshot_, options_, places_);
}

}  // namespace

Status check_solution(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  return Checker(snapshot, options, solution).run();
}

}  // namespace tenon::scheduling
