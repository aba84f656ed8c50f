// NodePools: the rows (instance type and offering) that each may launch, by price; what the DaemonSets of its nodes
// leave free on each type; and what is left of its limits. Pools that can launch nothing are left out, with the reason.
//
// Cost: pools × types × (requirements + offerings + DaemonSets), and the nodes once for the limits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "model/node_class_label.h"
#include "scheduling/compile/parts.h"
#include "scheduling/compile/preferences.h"
#include "scheduling/compile/problem.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/pool_check.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/input/type_labels.h"

namespace tenon::scheduling {
namespace {

Result<model::Requirements> template_requirements(const model::NodePool& pool) {
  const model::NodeTemplate& t = pool.node_template;
  model::Requirements result = TRY(model::Requirements::make(t.requirements));
  for (const auto& [key, value] : t.labels) result.add(model::Requirement::in(key, {value}));
  const auto [key_of_pool, name_of_pool] = model::pool_label(pool.meta.name);
  result.add(model::Requirement::in(key_of_pool, {std::string(name_of_pool)}));
  if (const std::string key = model::node_class_label(t.node_class_ref); !key.empty()) {
    result.add(model::Requirement::in(key, {t.node_class_ref.name}));
  }
  return result;
}

// Returns the column in TypeIndex::resources of each of Problem::resources; kNone: no usable type has the resource.
std::vector<int> columns(const Problem& problem, const TypeIndex& index) {
  std::vector<int> columns;
  for (const std::string& name : problem.resources) {
    const auto at = std::lower_bound(index.resources.begin(), index.resources.end(), name);
    const bool known = at != index.resources.end() && *at == name;
    columns.push_back(known ? static_cast<int>(at - index.resources.begin()) : kNone);
  }
  return columns;
}

Amounts allocatable(const TypeIndex& index, size_t type, const std::vector<int>& columns) {
  Amounts amounts(columns.size(), 0);
  const int64_t* const of_type = index.allocatable.data() + type * index.resources.size();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != kNone) amounts[i] = of_type[columns[i]];
  }
  return amounts;
}

// Lists the types and rows that the pool's own requirements allow.
void list_rows(Problem& problem, PoolProblem& pool) {
  std::vector<const model::Requirement*> of_types, of_offerings;
  for (const auto& [key, r] : pool.requirements.by_key()) {
    if (!pool.is_type_key(key)) continue;
    const bool offered = offering_value(key, model::Offering{}).has_value();
    (offered ? of_offerings : of_types).push_back(&r);
  }
  const TypeIndex& index = *pool.all_types;
  const std::vector<int> column = columns(problem, index);
  std::vector<std::pair<uint32_t, Row>> ranked;
  for (size_t t = 0; t < index.usable.size(); ++t) {
    const model::InstanceType* type = index.usable[t];
    const auto allows_type = [&](const model::Requirement* r) { return type_allowed(*r, *type); };
    if (!std::all_of(of_types.begin(), of_types.end(), allows_type)) continue;
    const size_t before = ranked.size();
    for (size_t o = 0; o < type->offerings.size(); ++o) {
      const model::Offering& offering = type->offerings[o];
      const bool reserved = offering.capacity_type == model::kCapacityReserved;
      if (!offering.available || (reserved && !problem.options.reserved_capacity)) continue;
      const auto allows = [&](const model::Requirement* r) { return row_allowed(*r, *type, offering); };
      if (!std::all_of(of_offerings.begin(), of_offerings.end(), allows)) continue;
      int reservation = kNone;
      if (reserved) {
        auto& known = problem.reservations;
        auto at =
            std::find_if(known.begin(), known.end(), [&](const auto& r) { return r.first == offering.reservation_id; });
        if (at == known.end()) at = known.insert(at, {offering.reservation_id, offering.reservation_capacity});
        at->second = std::min(at->second, offering.reservation_capacity);
        reservation = static_cast<int>(at - known.begin());
      }
      ranked.emplace_back(index.rank[index.first_offering[t] + o],
                          Row{pool.types.size(), &offering, offering.price, reservation});
    }
    if (ranked.size() == before) continue;
    TypeProblem compiled;
    compiled.type = type;
    compiled.free = allocatable(index, t, column);
    compiled.daemons.assign(problem.resources.size(), 0);
    pool.types.push_back(std::move(compiled));
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  pool.rows.reserve(ranked.size());
  for (const auto& [rank, row] : ranked) pool.rows.push_back(row);
  for (size_t i = 0; i < pool.rows.size(); ++i) pool.types[pool.rows[i].type].rows.push_back(i);
}

void charge_daemons(const Problem& problem, PoolProblem& pool) {
  for (const model::DaemonSet* daemon : problem.daemons) {
    const model::Pod& pod = daemon->pod_template;
    if (!daemon_tolerates(pod, pool.pool->node_template.taints)) continue;
    const auto terms = daemon_terms(pod);
    if (!terms) continue;
    RowSet fit(pool.rows.size()), one;
    for (const model::Requirements& term : *terms) {
      if (pool.rows_for(term, one)) fit |= one;
    }
    const Amounts requests = problem.amounts(pod.spec->requests);
    for (TypeProblem& type : pool.types) {
      if (std::none_of(type.rows.begin(), type.rows.end(), [&](size_t row) { return fit.test(row); })) continue;
      for (size_t i = 0; i < requests.size(); ++i) {
        type.free[i] -= requests[i];
        type.daemons[i] += requests[i];
      }
      type.daemon_ports.insert(type.daemon_ports.end(), pod.spec->host_ports.begin(), pod.spec->host_ports.end());
    }
  }
}

using UsedByPool = std::unordered_map<std::string_view, model::Resources>;

// Sums the resources of the nodes of each NodePool that has limits.
UsedByPool used_by_pool(const Problem& problem) {
  UsedByPool used;
  for (const PoolView& view : problem.snapshot->pools) {
    if (view.pool && view.pool->limits) used[view.pool->meta.name];
  }
  if (used.empty()) return used;
  const auto& without = problem.options.removed_nodes;
  const std::unordered_set<std::string_view> gone(without.begin(), without.end());
  for (const NodeView& node : problem.snapshot->nodes) {
    const auto of = used.find(node.pool());
    if (of == used.end() || node.deleting() || problem.removable.contains(node.name())) continue;
    if (!gone.contains(node.name())) of->second += node.capacity();
  }
  return used;
}

void count_limits(const UsedByPool& used_by_pool, PoolProblem& pool) {
  if (!pool.pool->limits) return;
  const model::Resources& used = used_by_pool.at(pool.name);
  for (const auto& [name, limit] : pool.pool->limits->entries()) {
    pool.limited.push_back(name);
    pool.left.push_back(limit - used.get(name));
  }
  for (TypeProblem& type : pool.types) {
    for (const std::string& name : pool.limited) {
      type.charge.push_back(name == "nodes" ? 1 : type.type->capacity.get(name));
    }
  }
}

// Lists the minValues of the pool. Returns the problem if its rows have too few values; empty if they have enough, or
// if the policy is BestEffort.
std::string settle_min_values(const Problem& problem, PoolProblem& pool) {
  for (const auto& [key, requirement] : pool.requirements.by_key()) {
    if (!requirement.min_values()) continue;
    int achieved = 0;
    for (const auto& [value, rows] : pool.rows_by_value(key))
      achieved += requirement.allows(value) && rows.any() ? 1 : 0;
    const int wanted = *requirement.min_values();
    if (achieved < wanted && problem.options.min_values == MinValuesPolicy::kStrict) {
      return "minValues requirement is not met for label(s) (label(s)=[" + key + "])";
    }
    pool.min_values.emplace_back(key, wanted);
  }
  return {};
}

std::shared_ptr<const TypeIndex> index_of(const PoolView& view, const Problem& problem) {
  if (view.index && view.index->types == view.types) return view.index;
  for (const PoolProblem& other : problem.pools) {
    if (other.all_types->types == view.types) return other.all_types;
  }
  return std::make_shared<const TypeIndex>(view.types);
}

std::string why_left_out(const PoolView& view) {
  if (!view.pool) return "it is unknown";
  if (view.pool->replicas) return "it is static";
  if (view.pool->meta.deleting()) return "it is being deleted";
  if (!view.not_ready.empty()) return view.not_ready;
  if (!view.types || view.types->empty()) return "no resolved instance types found";
  return {};
}

}  // namespace

void compile_pools(Problem& problem) {
  const UsedByPool used = used_by_pool(problem);
  for (const PoolView& view : problem.snapshot->pools) {
    std::string why = why_left_out(view);
    const std::string name = view.pool ? view.pool->meta.name : std::string();
    if (!why.empty()) {
      problem.pools_left_out.emplace_back(name, why);
      continue;
    }
    PoolProblem pool;
    pool.pool = view.pool.get();
    pool.name = name;
    auto requirements = template_requirements(*view.pool);
    if (!requirements || !contradiction(*view.pool).empty()) {
      why = requirements ? contradiction(*view.pool) : requirements.error().message;
      problem.pools_left_out.emplace_back(name, std::move(why));
      continue;
    }
    pool.requirements = std::move(*requirements);
    for (const auto& taint : view.pool->node_template.taints) problem.soft_taints |= taint.effect == "PreferNoSchedule";
    if (!problem.options.may_launch) continue;
    pool.all_types = index_of(view, problem);
    list_rows(problem, pool);
    why = pool.rows.empty() ? "nodepool requirements filtered out all available instance types"
                            : settle_min_values(problem, pool);
    if (!why.empty()) {
      problem.pools_without_types.emplace(name, !pool.rows.empty());
      problem.pools_left_out.emplace_back(name, why);
      continue;
    }
    for (const auto& [key, r] : pool.requirements.by_key()) {
      const bool fixed = !r.complement() && r.values().size() == 1;
      if (!fixed && !pool.is_type_key(key)) pool.loose.replace(r);
    }
    charge_daemons(problem, pool);
    std::vector<RoomIndex::Rows> room;
    for (const TypeProblem& type : pool.types) room.push_back({type.free, type.rows});
    pool.room.build(pool.rows.size(), room);
    count_limits(used, pool);
    problem.pools.push_back(std::move(pool));
  }
  std::sort(problem.pools_left_out.begin(), problem.pools_left_out.end());
  std::stable_sort(problem.pools.begin(), problem.pools.end(), [](const PoolProblem& a, const PoolProblem& b) {
    return a.pool->weight != b.pool->weight ? a.pool->weight > b.pool->weight : a.name > b.name;
  });
}

}  // namespace tenon::scheduling
