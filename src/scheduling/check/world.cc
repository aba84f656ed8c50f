// World: data that all checks of one solution share. Pods share specs, nodes share designs, and specs share
// requirements, so each distinct object is computed once and the checks are bounded by distinct objects, not by pods:
//
//   Spec      by the address of the pod's spec         10,000 pods of 20 Deployments → 20 specs
//   Demand    by hash, then by value                   equal requirements have one address, which keys other caches
//   Design    by hash, then by Design::of_kind()       500 new nodes with 4 sets of requirements and labels → 4 designs
//   Pool      by name
//
// Cost: a lookup for each use; the first use of a spec is linear in its terms and resources.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/check/world.h"

#include <algorithm>

#include "base/hash.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::check {
namespace {

size_t hash_of(const model::Requirements& requirements) {
  Hash hash;
  for (const auto& [key, r] : requirements.by_key()) {
    hash.add(key);
    for (const std::string& value : r.values()) hash.add(value);
  }
  return hash.value();
}

size_t hash_of(const PlannedNode& node) {
  Hash hash;
  hash.add(node.pool);
  hash.add(node.launch.reservation_id);
  hash.add(hash_of(node.requirements));
  for (const auto& [key, value] : *node.labels) hash.add(value);
  return hash.value();
}

}  // namespace

std::vector<model::Requirements> required_terms(const model::PodSpec& spec) {
  model::Requirements selector;
  for (const auto& [key, value] : spec.node_selector) selector.add(model::Requirement::in(key, {value}));
  std::vector<model::Requirements> terms;
  for (const auto& term : spec.affinity.required_node_terms) {
    model::Requirements both = selector;
    if (const auto own = model::Requirements::make(term.match_expressions)) {
      both.add(*own);
      terms.push_back(std::move(both));
    }
  }
  if (spec.affinity.required_node_terms.empty()) terms.push_back(std::move(selector));
  return terms;
}

bool stands(const model::Pod& pod, const std::vector<model::Taint>& taints) {
  const auto hard = [](const model::Taint& taint) {
    return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  };
  return std::all_of(taints.begin(), taints.end(), [&](const model::Taint& taint) {
    return !hard(taint) || std::any_of(pod.spec->tolerations.begin(), pod.spec->tolerations.end(),
                                       [&](const model::Toleration& t) { return t.tolerates(taint); });
  });
}

World::World(const Snapshot& snapshot, const SolveOptions& options)
    : snapshot_(snapshot),
      options_(options),
      gone_(options.removed_nodes.begin(), options.removed_nodes.end()),
      closed_(options.closed_nodes.begin(), options.closed_nodes.end()) {
  list_resources();
}

void World::list_resources() {
  std::set<std::string, std::less<>> names;
  std::unordered_set<const model::PodSpec*> seen;
  const auto add = [&](const model::PodSpec& spec) {
    if (!seen.insert(&spec).second) return;
    for (const auto& [name, amount] : spec.requests.entries()) {
      if (amount > 0 && !names.contains(name)) names.insert(name);
    }
  };
  for (const PodPtr& pod : snapshot_.pending) add(*pod->spec);
  for (const auto& daemon : snapshot_.daemon_sets) add(*daemon->pod_template.spec);
  for (const NodeView& node : snapshot_.nodes) {
    if (!is_gone(node.name())) continue;
    for (const PodPtr& pod : node.pods) add(*pod->spec);
  }
  resources_.assign(names.begin(), names.end());
}

Sums World::sums(const model::Resources& of) const {
  Sums sums(resources_.size(), 0);
  for (const auto& [name, amount] : of.entries()) {
    const auto at = std::lower_bound(resources_.begin(), resources_.end(), name);
    if (at != resources_.end() && *at == name) sums[static_cast<size_t>(at - resources_.begin())] = amount;
  }
  return sums;
}

const Spec& World::spec(const model::Pod& pod) {
  const auto [at, fresh] = specs_.try_emplace(&*pod.spec);
  if (!fresh) return at->second;
  for (model::Requirements& term : required_terms(*pod.spec)) at->second.terms.push_back(demand(std::move(term)));
  at->second.requests = sums(pod.spec->requests);
  return at->second;
}

const Demand* World::demand(model::Requirements requirements) {
  const size_t hash = hash_of(requirements);
  const auto [begin, end] = demands_by_hash_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& entry) { return *entry.second == requirements; });
  if (known != end) return known->second;
  demands_.push_back(std::move(requirements));
  demands_by_hash_.emplace(hash, &demands_.back());
  return &demands_.back();
}

Pool World::make_pool(const PoolView& view) {
  Pool pool;
  pool.view = &view;
  const model::NodeTemplate& t = view.pool->node_template;
  if (view.types) {
    for (size_t i = 0; i < view.types->size(); ++i) {
      pool.by_name.emplace((*view.types)[i].name, i);
      pool.allocatable.push_back(sums((*view.types)[i].allocatable()));
    }
  }
  for (const auto& daemon : snapshot_.daemon_sets) {
    const model::Pod& pod = daemon->pod_template;
    if (!pod.spec->uses_resource_claims && stands(pod, t.taints)) pool.daemons.push_back(&pod);
  }
  if (auto requirements = model::Requirements::make(t.requirements)) {
    requirements->add(model::Requirements::from_labels(t.labels));
    pool.demand = demand(std::move(*requirements));
  }
  return pool;
}

const Pool* World::pool(const std::string& name) {
  const auto known = pools_.find(name);
  if (known != pools_.end()) return &known->second;
  const PoolView* view = snapshot_.pool(name);
  return view ? &pools_.emplace(name, make_pool(*view)).first->second : nullptr;
}

Design& World::design(const Pool& pool, const PlannedNode& node) {
  const size_t hash = hash_of(node);
  const auto [begin, end] = designs_by_hash_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& entry) { return entry.second->of_kind(node); });
  if (known != end) return *known->second;
  Design& design = designs_.emplace_back(*this, pool, node);
  designs_by_hash_.emplace(hash, &design);
  return design;
}

}  // namespace tenon::scheduling::check
