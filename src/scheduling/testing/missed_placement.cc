// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/missed_placement.h"

#include <algorithm>
#include <optional>
#include <set>

#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling::testing {
namespace {

void insert_sorted(std::vector<std::string>& keys, const std::string& key) {
  keys.insert(std::lower_bound(keys.begin(), keys.end(), key), key);
}

const model::Pod* find_pod(const Snapshot& snapshot, const std::string& key) {
  for (const auto& pod : snapshot.pending) {
    if (pod->key() == key) return pod.get();
  }
  return nullptr;
}

// Returns the solution with one more pod on an existing node.
Solution with_existing(Solution solution, const std::string& node, const std::string& pod) {
  solution.unschedulable.erase(pod);
  insert_sorted(solution.existing[node], pod);
  return solution;
}

// Returns the node restricted to one offering of one type.
PlannedNode pinned(PlannedNode node, const model::InstanceType& type, const model::Offering& offering) {
  node.instance_types = {type.name};
  node.launch = {type.name,     offering.zone, offering.zone_id, offering.capacity_type, offering.reservation_id,
                 offering.price};
  node.requirements.add(model::Requirement::in(model::kLabelZone, {offering.zone}));
  node.requirements.add(model::Requirement::in(model::kLabelCapacityType, {offering.capacity_type}));
  if (!offering.reservation_id.empty())
    node.requirements.add(model::Requirement::in(model::kLabelReservationId, {offering.reservation_id}));
  return node;
}

PlannedNode blank_node(const PoolView& view, size_t number) {
  PlannedNode node;
  node.id = "new-" + std::to_string(number);
  node.pool = view.pool->meta.name;
  const model::NodeTemplate& t = view.pool->node_template;
  if (auto requirements = model::Requirements::make(t.requirements)) node.requirements = std::move(*requirements);
  for (const auto& [key, value] : t.labels) node.requirements.add(model::Requirement::in(key, {value}));
  node.labels = Shared(node.requirements.single_values());
  const auto [key_of_pool, name_of_pool] = model::pool_label(node.pool);
  node.labels.edit()[std::string(key_of_pool)] = name_of_pool;
  node.taints = t.taints;
  node.startup_taints = t.startup_taints;
  return node;
}

class Search {
 public:
  Search(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution)
      : snapshot_(snapshot), options_(options), solution_(solution) {}

  std::string find(const model::Pod& pod) const {
    for (const auto& view : snapshot_.nodes) {
      if (holds(with_existing(solution_, view.name(), pod.key()))) return view.name();
    }
    for (size_t i = 0; i < solution_.new_nodes.size(); ++i) {
      if (std::string where = on_planned(i, pod); !where.empty()) return where;
    }
    for (const PoolView& view : snapshot_.pools) {
      if (std::string where = on_new(view, pod); !where.empty()) return where;
    }
    return {};
  }

 private:
  bool holds(const Solution& solution) const { return check_solution(snapshot_, options_, solution).has_value(); }

  // Each single type and offering for the node with the pod.
  std::string try_outcomes(const PoolView& view, const Solution& base, size_t index, const model::Pod& pod) const {
    for (const model::InstanceType& type : *view.types) {
      for (const model::Offering& offering : type.offerings) {
        if (!offering.available || !type.problem.empty()) continue;
        if (!options_.reserved_capacity && offering.capacity_type == model::kCapacityReserved) continue;
        Solution more = base;
        PlannedNode& node = more.new_nodes[index];
        more.price -= node.launch.price;
        node = pinned(std::move(node), type, offering);
        more.price += node.launch.price;
        node.requests += pod.spec->requests;
        insert_sorted(node.pods, pod.key());
        if (holds(more)) return node.id + " (" + node.pool + ", " + type.name + ", " + offering.zone + ")";
      }
    }
    return {};
  }

  std::string on_planned(size_t index, const model::Pod& pod) const {
    const auto view = std::find_if(snapshot_.pools.begin(), snapshot_.pools.end(), [&](const PoolView& v) {
      return v.pool->meta.name == solution_.new_nodes[index].pool;
    });
    Solution base = solution_;
    base.unschedulable.erase(pod.key());
    return try_outcomes(*view, base, index, pod);
  }

  std::string on_new(const PoolView& view, const model::Pod& pod) const {
    if (!view.types || !view.not_ready.empty()) return {};
    Solution base = solution_;
    base.unschedulable.erase(pod.key());
    base.new_nodes.push_back(blank_node(view, base.new_nodes.size()));
    return try_outcomes(view, base, base.new_nodes.size() - 1, pod);
  }

  const Snapshot& snapshot_;
  const SolveOptions& options_;
  const Solution& solution_;
};

bool can_be_had(const SolveOptions& options, const model::InstanceType& type, const model::Offering& offering) {
  return offering.available && type.problem.empty() &&
         (options.reserved_capacity || offering.capacity_type != model::kCapacityReserved);
}

// Returns the cheapest price of the type; std::nullopt if it is not available.
std::optional<model::Price> least_price(const SolveOptions& options, const model::InstanceType& type) {
  std::optional<model::Price> least;
  for (const model::Offering& offering : type.offerings) {
    if (can_be_had(options, type, offering) && (!least || offering.price < *least)) least = offering.price;
  }
  return least;
}

// Preferences and spreads may exclude types that the required rules allow.
bool decided_by_more(const Snapshot& snapshot, const SolveOptions& options, const PlannedNode& node) {
  return node.instance_types.size() == options.max_instance_types ||
         std::any_of(node.pods.begin(), node.pods.end(), [&](const std::string& key) {
           const model::Pod* pod = find_pod(snapshot, key);
           return pod == nullptr || !pod->spec->spread.empty() || !pod->spec->affinity.preferred_node_terms.empty() ||
                  !pod->spec->affinity.preferred_pods.empty() || !pod->spec->affinity.preferred_anti_pods.empty();
         });
}

std::string missed_type_of(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution,
                           size_t index, const PoolView& view) {
  const PlannedNode& node = solution.new_nodes[index];
  std::set<std::string> ruled_out;
  for (const RunnerUp& up : node.runners_up) ruled_out.insert(up.instance_type);
  const bool open = !decided_by_more(snapshot, options, node);
  for (const model::InstanceType& type : *view.types) {
    const bool listed =
        std::find(node.instance_types.begin(), node.instance_types.end(), type.name) != node.instance_types.end();
    if (listed) {
      if (ruled_out.contains(type.name)) return node.id + " lists " + type.name + " and rules it out";
      continue;
    }
    const std::optional<model::Price> least = least_price(options, type);
    const bool cheaper = least && *least < node.launch.price;
    if (cheaper != ruled_out.contains(type.name) && node.runners_up.size() < options.runners_up) {
      return node.id + (cheaper ? " does not rule out " : " need not rule out ") + type.name;
    }
    for (const model::Offering& offering : type.offerings) {
      if (!open || !can_be_had(options, type, offering)) continue;
      Solution other = solution;
      PlannedNode& changed = other.new_nodes[index];
      other.price += offering.price - changed.launch.price;
      changed = pinned(std::move(changed), type, offering);
      if (check_solution(snapshot, options, other)) {
        return node.id + " could be " + type.name + " in " + offering.zone + ", " + offering.capacity_type;
      }
    }
  }
  return {};
}

}  // namespace

std::string missed_type(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  for (size_t i = 0; i < solution.new_nodes.size(); ++i) {
    const auto view = std::find_if(snapshot.pools.begin(), snapshot.pools.end(),
                                   [&](const PoolView& v) { return v.pool->meta.name == solution.new_nodes[i].pool; });
    if (view->pool->limits) continue;
    if (std::string missed = missed_type_of(snapshot, options, solution, i, *view); !missed.empty()) return missed;
  }
  return {};
}

std::string missed_placement(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  const Search search(snapshot, options, solution);
  for (const auto& [key, why] : solution.unschedulable) {
    const model::Pod* pod = find_pod(snapshot, key);
    if (pod == nullptr || pod->spec->uses_resource_claims || !pod->spec->problem.empty())
      continue;  // rejected for its own requirements
    if (std::string where = search.find(*pod); !where.empty()) return key + " would fit on " + where;
  }
  return {};
}

}  // namespace tenon::scheduling::testing
