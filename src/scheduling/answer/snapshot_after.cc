// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/snapshot_after.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "model/labels.h"

namespace tenon::scheduling {
namespace {

const model::InstanceType* type_named(const PoolView& pool, const std::string& name) {
  const auto at = std::find_if(pool.types->begin(), pool.types->end(), [&](const auto& t) { return t.name == name; });
  return at == pool.types->end() ? nullptr : &*at;
}

// Returns the planned node as it registers, with the labels that its launch gives it.
NodeView come_up(const PoolView& pool, const PlannedNode& planned) {
  model::Node node;
  node.meta.name = planned.id;
  if (const model::InstanceType* type = type_named(pool, planned.launch.instance_type)) {
    for (const auto& [key, values] : type->labels) {
      const model::Requirement asked = planned.requirements.get(key);
      const auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return asked.allows(v); });
      if (at != values.end()) node.meta.labels[key] = *at;
    }
  }
  for (const auto& [key, value] : *planned.labels) node.meta.labels[key] = value;
  for (const auto& [key, value] : planned.requirements.single_values()) node.meta.labels[key] = value;
  const auto set = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) node.meta.labels[std::string(key)] = value;
  };
  set(model::kLabelInstanceType, planned.launch.instance_type);
  set(model::kLabelZone, planned.launch.zone);
  set(model::kLabelZoneId, planned.launch.zone_id);
  set(model::kLabelCapacityType, planned.launch.capacity_type);
  set(model::kLabelHostname, planned.id);
  node.taints = planned.taints;
  NodeView view;
  view.node = std::make_shared<const model::Node>(std::move(node));
  return view;
}

// Sets each limit to what is left of it. The solver's remainder counts, because minValues charge more than the type
// that is launched. For pools that the problem leaves out, the capacity of their nodes is subtracted.
void settle_limits(const State& state, Snapshot& after) {
  const auto& pools = state.problem().pools;
  for (PoolView& view : after.pools) {
    if (!view.pool || !view.pool->limits) continue;
    model::NodePool pool = *view.pool;
    const auto at = std::find_if(pools.begin(), pools.end(), [&](const auto& p) { return p.name == pool.meta.name; });
    if (at != pools.end()) {
      const Amounts& left = state.left(static_cast<size_t>(at - pools.begin()));
      for (size_t i = 0; i < at->limited.size(); ++i) pool.limits->set(at->limited[i], left[i]);
    } else {
      const model::Resources limits = *pool.limits;
      for (const NodeView& node : after.nodes) {
        if (node.pool() != pool.meta.name || node.deleting()) continue;
        const model::Resources capacity = node.capacity();
        for (const auto& [name, amount] : limits.entries()) pool.limits->add(name, -capacity.get(name));
      }
    }
    view.pool = std::make_shared<const model::NodePool>(std::move(pool));
  }
}

// Subtracts the instances that the plan holds from the reservations.
void settle_reservations(const State& state, Snapshot& after) {
  std::map<std::string, int> taken;
  for (const Bin& bin : state.bins()) {
    if (bin.reservation != kNone) ++taken[state.problem().reservations[static_cast<size_t>(bin.reservation)].first];
  }
  if (taken.empty()) return;
  for (PoolView& view : after.pools) {
    if (!view.types) continue;
    auto types = *view.types;
    for (model::InstanceType& type : types) {
      for (model::Offering& offering : type.offerings) {
        const auto at = taken.find(offering.reservation_id);
        if (at != taken.end() && !offering.reservation_id.empty()) offering.reservation_capacity -= at->second;
      }
    }
    view.types = std::make_shared<const std::vector<model::InstanceType>>(std::move(types));
  }
}

bool selects(const std::optional<model::LabelSelector>& selector, const model::Pod& pod) {
  return selector && selector->matches(pod.meta.labels);
}

bool filter_accepts(const model::Pod& pod, const model::Pod& other) {
  const auto spread = [&](const model::SpreadConstraint& s) { return selects(s.selector, other); };
  const auto term = [&](const model::PodAffinityTerm& t) { return selects(t.selector, other); };
  const model::Affinity& a = pod.spec->affinity;
  return std::any_of(pod.spec->spread.begin(), pod.spec->spread.end(), spread) ||
         std::any_of(a.required_pods.begin(), a.required_pods.end(), term) ||
         std::any_of(a.required_anti_pods.begin(), a.required_anti_pods.end(), term);
}

bool shuns(const model::Pod& other, const model::Pod& pod) {
  const auto& terms = other.spec->affinity.required_anti_pods;
  return std::any_of(terms.begin(), terms.end(), [&](const auto& t) { return selects(t.selector, pod); });
}

// Returns the keys of the node labels that matter to this pod: those that it requires, and the topology keys of its
// rules and of other pods' anti-affinity that selects it.
std::set<std::string> keys_read_by(const Snapshot& after, const model::Pod& pod) {
  std::set<std::string> keys;
  const auto add = [&](const std::string& key) { keys.emplace(model::canonical_label(key)); };
  for (const auto& [key, value] : pod.spec->node_selector) add(key);
  for (const model::NodeSelectorTerm& term : pod.spec->affinity.required_node_terms) {
    for (const model::RequirementSpec& spec : term.match_expressions) add(spec.key);
  }
  for (const model::SpreadConstraint& spread : pod.spec->spread) add(spread.topology_key);
  for (const auto& term : pod.spec->affinity.required_pods) add(term.topology_key);
  for (const auto& term : pod.spec->affinity.required_anti_pods) add(term.topology_key);
  for (const NodeView& node : after.nodes) {
    for (const PodPtr& other : node.pods) {
      for (const auto& term : other->spec->affinity.required_anti_pods) {
        if (selects(term.selector, pod)) add(term.topology_key);
      }
    }
  }
  return keys;
}

}  // namespace

Snapshot snapshot_after(const State& state, const Solution& solution) {
  const Problem& problem = state.problem();
  Snapshot after = *problem.snapshot;
  after.pending.clear();
  const auto& gone = problem.options.removed_nodes;
  std::erase_if(after.nodes,
                [&](const NodeView& n) { return std::find(gone.begin(), gone.end(), n.name()) != gone.end(); });
  std::map<std::string, PodPtr> placed;
  for (const PodProblem& pod : problem.pods) placed.emplace(pod.pod->key(), pod.pod);
  const auto move_in = [&](NodeView& node, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) node.pods.edit().push_back(placed.at(key));
  };
  for (NodeView& node : after.nodes) {
    std::erase_if(node.pods.edit(), [&](const PodPtr& pod) { return placed.contains(pod->key()); });
    if (const auto at = solution.existing.find(node.name()); at != solution.existing.end()) move_in(node, at->second);
  }
  settle_limits(state, after);
  settle_reservations(state, after);
  for (const PlannedNode& planned : solution.new_nodes) {
    NodeView node = come_up(*after.pool(planned.pool), planned);
    move_in(node, planned.pods);
    after.nodes.push_back(std::move(node));
  }
  return after;
}

Snapshot relevant_part(const Snapshot& after, const model::Pod& pod) {
  const std::set<std::string> keys = keys_read_by(after, pod);
  std::map<std::tuple<model::StringMap, std::string, bool>, NodeView> alike;
  for (const NodeView& node : after.nodes) {
    std::vector<PodPtr> pods;
    for (const PodPtr& other : node.pods) {
      if (filter_accepts(pod, *other) || shuns(*other, pod)) pods.push_back(other);
    }
    if (pods.empty() && pod.spec->spread.empty()) continue;
    model::StringMap labels;
    for (const auto& [key, value] : node.labels()) {
      if (keys.contains(std::string(model::canonical_label(key)))) labels[key] = value;
    }
    std::string taints;
    for (const model::Taint& taint : node.taints()) taints += to_string(taint) + ",";
    const auto [at, fresh] = alike.try_emplace({labels, taints, node.deleting()});
    NodeView& all = at->second;
    if (fresh) {
      model::Node bare = node.node ? *node.node : model::Node{};
      bare.meta.name = node.name();
      bare.meta.labels = std::move(labels);
      bare.taints = node.taints();
      all.node = std::make_shared<const model::Node>(std::move(bare));
      all.marked_for_deletion = node.deleting();
    }
    std::vector<PodPtr>& there = all.pods.edit();
    there.insert(there.end(), pods.begin(), pods.end());
  }
  Snapshot result = after;
  result.nodes.clear();
  for (auto& [key, node] : alike) result.nodes.push_back(std::move(node));
  return result;
}

}  // namespace tenon::scheduling
