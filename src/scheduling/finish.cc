// SPDX-License-Identifier: Apache-2.0
#include "scheduling/finish.h"

#include <algorithm>

#include "model/labels.h"
#include "scheduling/binding.h"

namespace tenon::scheduling {
namespace {

// A value that the requirement allows, for a label that the node must carry; empty if it may be absent.
std::string some_value(const model::Requirement& r) {
  if (!r.complement()) return r.values().empty() ? std::string() : *r.values().begin();
  int64_t value = r.greater_than() ? *r.greater_than() + 1 : 0;
  if (r.less_than() && value >= *r.less_than()) value = *r.less_than() - 1;
  while (!r.allows(std::to_string(value))) ++value;
  return std::to_string(value);
}

class Finisher {
 public:
  explicit Finisher(const State& state) : state_(state), problem_(state.problem()) {
    for (const PoolProblem& pool : problem_.pools) left_.push_back(pool.left);
    for (const Bin& bin : state.bins()) {
      if (!bin.fresh() || bin.placed.empty()) continue;
      Amounts& left = left_[static_cast<size_t>(bin.pool)];
      for (size_t i = 0; i < left.size(); ++i) left[i] -= bin.charge[i];
    }
    const auto nodes = static_cast<int64_t>(state.fresh_bins());
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      bool ample = true;
      for (size_t i = 0; i < left_[p].size(); ++i) {
        for (const TypeProblem& type : problem_.pools[p].types) ample &= type.charge[i] <= left_[p][i] / (nodes + 1);
      }
      ample_.push_back(ample ? 1 : 0);
    }
  }

  Solution run();

 private:
  std::vector<std::string> pod_keys(const Bin& bin) const;
  PlannedNode planned(const Bin& bin);
  model::Requirements requirements_of(const Bin& bin, const RowSet& rows) const;
  RowSet rows_to_buy(const Bin& bin) const;
  std::vector<size_t> types_to_list(const Bin& bin, const RowSet& rows);
  void settle_price_cap(const Bin& bin, RowSet& rows, std::vector<size_t>& types);
  struct Choice {
    RowSet rows;
    TypeNames names;
  };
  const Choice& choice_of(const Bin& bin);
  void describe(const Bin& bin, const Choice& choice, PlannedNode& node) const;

  const State& state_;
  const Problem& problem_;
  std::vector<Amounts> left_;
  std::vector<char> ample_;  // by pool: its limits allow all its nodes to be of its largest types
  std::map<std::pair<size_t, RowSet>, Choice> choices_;  // by pool and rows to buy
  Choice only_;
  std::optional<std::string> pinned_zone_;  // of the node at hand
};

std::vector<std::string> Finisher::pod_keys(const Bin& bin) const {
  std::vector<std::string> keys;
  for (const Placed& p : bin.placed) keys.push_back(problem_.pods[p.pod].pod->key());
  std::sort(keys.begin(), keys.end());
  return keys;
}

// A node that holds a reservation is that reservation's only; any other buys none.
RowSet Finisher::rows_to_buy(const Bin& bin) const {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  RowSet rows = bin.rows;
  if (problem_.reservations.empty()) return rows;
  for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
    if (pool.rows[r].reservation != bin.reservation) rows.reset(r);
  }
  return rows;
}

// Cheapest first. Under limits every type counts in full, so each must fit into what the plan leaves.
std::vector<size_t> Finisher::types_to_list(const Bin& bin, const RowSet& rows) {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  Amounts& left = left_[static_cast<size_t>(bin.pool)];
  const bool ample = ample_[static_cast<size_t>(bin.pool)];
  Amounts charge = bin.charge, larger = charge;
  std::vector<size_t> types;
  RowSet listed(pool.types.size());
  for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
    const size_t t = pool.rows[r].type;
    if (listed.test(t)) continue;
    if (types.size() == problem_.options.max_instance_types) break;
    bool within = true;
    for (size_t i = 0; !ample && i < left.size(); ++i) {
      larger[i] = std::max(charge[i], pool.types[t].charge[i]);
      within = within && larger[i] - charge[i] <= left[i];
    }
    if (!within) continue;
    for (size_t i = 0; !ample && i < left.size(); ++i) left[i] -= larger[i] - charge[i];
    charge = larger;
    types.push_back(t);
    listed.set(t);
  }
  return types;
}

// Nodes with the same choice share the list of its names.
const Finisher::Choice& Finisher::choice_of(const Bin& bin) {
  RowSet rows = rows_to_buy(bin);
  const auto pool = static_cast<size_t>(bin.pool);
  const bool alike = ample_[pool] && !problem_.options.launch_below;
  if (alike) {
    const auto known = choices_.find({pool, rows});
    if (known != choices_.end()) return known->second;
  }
  Choice choice{rows, {}};
  std::vector<size_t> types = types_to_list(bin, rows);
  settle_price_cap(bin, choice.rows, types);
  std::vector<std::string> names;
  names.reserve(types.size());
  for (const size_t t : types) names.push_back(problem_.pools[pool].types[t].type->name);
  choice.names = TypeNames(std::move(names));
  if (alike) return choices_.emplace(std::pair{pool, std::move(rows)}, std::move(choice)).first->second;
  only_ = std::move(choice);
  return only_;
}

// With a price cap, no offering that stays open may reach it: first on-demand goes where spot is open, then the types
// that some zone sells too dear; if that would lose the cheapest type, its zone is pinned instead.
void Finisher::settle_price_cap(const Bin& bin, RowSet& rows, std::vector<size_t>& types) {
  pinned_zone_.reset();
  if (!problem_.options.launch_below) return;
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  const Row& launch = pool.rows[bin.row];
  const auto keep_only = [&](auto keep) {
    for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
      if (!keep(pool.rows[r])) rows.reset(r);
    }
    std::erase_if(types, [&](size_t t) {
      const auto& own = pool.types[t].rows;
      return std::none_of(own.begin(), own.end(), [&](size_t r) { return rows.test(r); });
    });
  };
  const std::string capacity_type = launch.offering->capacity_type;
  bool mixed = false;
  for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
    mixed |= pool.rows[r].offering->capacity_type != capacity_type;
  }
  if (mixed) keep_only([&](const Row& row) { return row.offering->capacity_type == capacity_type; });
  const auto open = requirements_of(bin, rows);
  const auto too_dear = [&](size_t t) {
    const auto& offerings = pool.types[t].type->offerings;
    return std::any_of(offerings.begin(), offerings.end(), [&](const model::Offering& o) {
      if (!o.available || o.price < *problem_.options.launch_below) return false;
      return open.get(model::kLabelZone).allows(o.zone) && open.get(model::kLabelCapacityType).allows(o.capacity_type);
    });
  };
  if (too_dear(launch.type)) {
    keep_only([&](const Row& row) { return row.offering->zone == launch.offering->zone; });
    const std::string zone = launch.offering->zone;
    pinned_zone_ = zone;
    const auto dear_here = [&](size_t t) {
      const auto& offerings = pool.types[t].type->offerings;
      return std::any_of(offerings.begin(), offerings.end(), [&](const model::Offering& o) {
        return o.available && o.zone == zone && o.capacity_type == capacity_type &&
               o.price >= *problem_.options.launch_below;
      });
    };
    keep_only([&](const Row& row) { return !dear_here(row.type); });
  } else {
    keep_only([&](const Row& row) { return !too_dear(row.type); });
  }
}

model::Requirements Finisher::requirements_of(const Bin& bin, const RowSet& rows) const {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  model::Requirements result = pool.requirements;
  for (const auto& [key, r] : (bin.narrowed ? *bin.narrowed : pool.loose).by_key()) result.replace(r);
  const Placed* before = nullptr;
  for (const Placed& p : bin.placed) {
    const model::Requirements& asked = problem_.classes[p.pod_class].forms[p.form].variants[p.variant].all;
    const bool again =
        before && before->pod_class == p.pod_class && before->form == p.form && before->variant == p.variant;
    if (!again && !asked.by_key().empty()) result.add(asked);
    before = &p;
  }
  for (size_t k = 1; k < problem_.keys.size(); ++k) {
    if (bin.domains[k] == kNone) continue;
    const TopologyKey& key = problem_.keys[k];
    result.add(model::Requirement::in(key.name, {key.values[static_cast<size_t>(bin.domains[k])]}));
  }
  std::vector<std::string> capacity_types;
  for (const auto& [value, of_value] : pool.rows_by_value(std::string(model::kLabelCapacityType))) {
    if (rows.intersects(of_value)) capacity_types.push_back(value);
  }
  result.add(model::Requirement::in(model::kLabelCapacityType, capacity_types));
  if (pinned_zone_) result.add(model::Requirement::in(model::kLabelZone, {*pinned_zone_}));
  if (bin.reservation != kNone) {
    const std::string& id = problem_.reservations[static_cast<size_t>(bin.reservation)].first;
    result.add(model::Requirement::in(model::kLabelReservationId, {id}));
  }
  result.erase(model::kLabelHostname);
  for (size_t i = 0; i < pool.min_values.size(); ++i) {
    model::Requirement r = result.get(pool.min_values[i].first);
    r.set_min_values(bin.min_values[i] > 0 ? std::optional(bin.min_values[i]) : std::nullopt);
    result.replace(std::move(r));
  }
  return result;
}

void Finisher::describe(const Bin& bin, const Choice& choice, PlannedNode& node) const {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  node.requirements = requirements_of(bin, choice.rows);
  node.instance_types = choice.names;
  const model::Offering& offering = *pool.rows[bin.row].offering;
  node.launch = {node.instance_types.front(), offering.zone,           offering.zone_id,
                 offering.capacity_type,      offering.reservation_id, offering.price};
  node.labels = pool.pool->node_template.labels;
  for (const auto& [key, r] : node.requirements.by_key()) {
    if (model::is_restricted_node_label(key) || pool.is_type_key(key)) continue;
    if (std::string value = some_value(r); !value.empty()) node.labels[key] = std::move(value);
  }
  node.labels[std::string(model::kLabelNodePool)] = pool.name;
  if (const auto& ref = pool.pool->node_template.node_class_ref; !ref.kind.empty()) {
    for (const auto& [key, r] : pool.requirements.by_key()) {
      if (key.starts_with(ref.group + "/") && key.size() == ref.group.size() + 1 + ref.kind.size()) {
        node.labels[key] = ref.name;
      }
    }
  }
  node.taints = pool.pool->node_template.taints;
  node.startup_taints = pool.pool->node_template.startup_taints;
}

PlannedNode Finisher::planned(const Bin& bin) {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  PlannedNode node;
  node.pool = pool.name;
  node.pods = pod_keys(bin);
  describe(bin, choice_of(bin), node);
  std::set<std::string> relaxed;
  for (const Placed& p : bin.placed) {
    const auto& given_up = problem_.classes[p.pod_class].forms[p.form].relaxed;
    relaxed.insert(given_up.begin(), given_up.end());
  }
  const Amounts& daemons = pool.types[pool.rows[bin.row].type].daemons;
  for (size_t i = 0; i < daemons.size(); ++i) {
    if (bin.used[i] + daemons[i] > 0) node.requests.set(problem_.resources[i], bin.used[i] + daemons[i]);
  }
  node.relaxed.assign(relaxed.begin(), relaxed.end());
  for (size_t i = 0; i < pool.min_values.size(); ++i) {
    node.min_values_relaxed = node.min_values_relaxed || bin.min_values[i] < pool.min_values[i].second;
  }
  node.runners_up = runners_up(state_, bin, node);
  return node;
}

Solution Finisher::run() {
  Solution solution;
  std::vector<std::pair<std::string, const Bin*>> fresh;
  for (const Bin& bin : state_.bins()) {
    if (bin.placed.empty()) continue;
    for (const Placed& p : bin.placed) {
      const auto& given_up = problem_.classes[p.pod_class].forms[p.form].relaxed;
      if (!given_up.empty()) solution.relaxed[problem_.pods[p.pod].pod->key()] = given_up;
    }
    std::vector<std::string> keys = pod_keys(bin);
    if (bin.fresh()) {
      fresh.emplace_back(keys.front(), &bin);
    } else {
      solution.existing[problem_.nodes[static_cast<size_t>(bin.node)].name] = std::move(keys);
    }
  }
  std::sort(fresh.begin(), fresh.end());
  solution.new_nodes.reserve(fresh.size());
  for (const auto& [key, bin] : fresh) {
    solution.new_nodes.push_back(planned(*bin));
    solution.new_nodes.back().id = "new-" + std::to_string(solution.new_nodes.size() - 1);
    solution.price += solution.new_nodes.back().launch.price;
  }
  for (size_t pod = 0; pod < problem_.pods.size(); ++pod) {
    if (state_.bin_of(pod) == kNone) solution.unschedulable[problem_.pods[pod].pod->key()] = explain(state_, pod);
  }
  if (problem_.options.explain && !solution.unschedulable.empty()) name_binding_sets(state_, solution);
  return solution;
}

}  // namespace

Solution finish(const State& state) { return Finisher(state).run(); }

}  // namespace tenon::scheduling
