// A finished plan as NodeClaims.
//
// The problem: a plan counts a node as its cheapest row, but its NodeClaim lists many instance types, and EC2 picks one
// of them. The list should be long, for capacity and spot diversity (up to SolveOptions::max_instance_types), and every
// type on it must be allowed:
// - It holds the node's pods: the bin has an open row of it.
// - The NodePool's limits hold even if each node of the plan becomes its largest listed type.
// - With a price cap (consolidation), no offering that the claim leaves open reaches the cap. A claim names types,
//   zones and capacity types separately, so all their combinations count.
//
// The method is greedy: types are listed by price. Under limits, a type is listed if it raises the charge of its node
// by no more than what is left, and this difference is subtracted from what is left. Example: 10 CPU are left, and the
// node is charged with its 4 CPU. A type of 8 CPU is listed, and 6 CPU are left; a type of 16 CPU would need 8 more,
// and is left out. The price cap removes rows in three steps (settle_price_cap()).
//
// Cost: nodes × open rows; under a price cap also × offerings of a type. Without one, nodes of one pool with equal open
// rows share one list.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/finish.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "model/labels.h"
#include "scheduling/answer/binding.h"
#include "scheduling/answer/claims.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling {
namespace {

class Finisher {
 public:
  // `nodes`: the most nodes that will be described.
  Finisher(const State& state, size_t nodes)
      : state_(state),
        problem_(state.problem()),
        claims_(problem_),
        below_(problem_.options.launch_below),
        by_charge_(problem_.pools.size()),
        tables_(problem_.pools.size()) {
    for (size_t p = 0; p < problem_.pools.size(); ++p) left_.push_back(state.left(p));
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      bool ample = true;
      for (size_t i = 0; i < left_[p].size(); ++i) {
        for (const TypeProblem& type : problem_.pools[p].types)
          ample &= type.charge[i] <= left_[p][i] / (static_cast<int64_t>(nodes) + 1);
      }
      ample_.push_back(ample ? 1 : 0);
    }
  }

  Solution run();
  PlannedNode planned(const Bin& bin);
  void sell_below(std::optional<model::Price> price) { below_ = price; }

 private:
  std::vector<std::string> pod_keys(const Bin& bin) const;
  RowSet launchable_rows(const Bin& bin) const;
  void settle_price_cap(const Bin& bin, RowSet& rows, std::vector<size_t>& types);
  struct Open {  // what decides a node's list of types without a price cap
    size_t pool = 0, row = 0;
    RowSet rows;  // to launch, within the limits
    friend bool operator==(const Open&, const Open&) = default;
  };
  struct HashOfOpen {
    size_t operator()(const Open& open) const {
      Hash hash;
      hash.add(open.pool);
      hash.add(open.row);
      hash.add(open.rows.hash());
      return hash.value();
    }
  };
  struct Choice {
    TypeNames names;
    Amounts most;  // of the charges of its types
  };
  RowSet affordable_rows(const Bin& bin, RowSet rows);
  std::vector<size_t> types_to_list(const Open& open) const;
  TypeNames::Table names_of(size_t pool);
  const Choice& choice_of(const Bin& bin, RowSet& rows);
  void describe(const Bin& bin, PlannedNode& node);
  RelaxedPreferences relaxed_on(const Bin& bin);

  const State& state_;
  const Problem& problem_;
  Claims claims_;
  std::optional<model::Price> below_;
  std::vector<Amounts> left_;
  std::vector<std::optional<RoomIndex>> by_charge_;  // by pool: of the negative charges; null: not needed yet
  std::vector<TypeNames::Table> tables_;             // by pool: the names of its types; null: not needed yet
  std::vector<char> ample_;  // by pool: its limits allow all its nodes to be of its largest types
  std::unordered_map<Open, Choice, HashOfOpen> choices_;
  Choice only_;
  std::map<std::set<const std::vector<std::string>*>, RelaxedPreferences> relaxed_;  // by what its pods relaxed
  std::optional<std::string> pinned_zone_;                                           // of the node at hand
};

// Returns the keys in order: indexes of pods follow their keys.
std::vector<std::string> Finisher::pod_keys(const Bin& bin) const {
  std::vector<size_t> pods;
  pods.reserve(bin.placed.size());
  for (const Placed& p : bin.placed) pods.push_back(p.pod);
  std::sort(pods.begin(), pods.end());
  std::vector<std::string> keys;
  keys.reserve(pods.size());
  for (const size_t pod : pods) keys.push_back(problem_.pods[pod].pod->key());
  return keys;
}

// A node that holds a reservation is launched from that reservation only; any other node from none.
RowSet Finisher::launchable_rows(const Bin& bin) const {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  RowSet rows = bin.rows;
  if (problem_.reservations.empty()) return rows;
  for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
    if (pool.rows[r].reservation != bin.reservation) rows.reset(r);
  }
  return rows;
}

// Returns the rows whose types the limits allow. To list a larger type moves an amount from `left` to the node's charge
// and keeps their sum, so this sum bounds the charge of every type that the node may list.
RowSet Finisher::affordable_rows(const Bin& bin, RowSet rows) {
  const auto p = static_cast<size_t>(bin.pool);
  if (ample_[p]) return rows;
  const PoolProblem& pool = problem_.pools[p];
  std::optional<RoomIndex>& index = by_charge_[p];
  if (!index) {  // RoomIndex keeps the rows that have at least an amount, so all amounts are negative
    std::vector<Amounts> charges;
    charges.reserve(pool.types.size());
    std::vector<RoomIndex::Rows> types;
    for (const TypeProblem& type : pool.types) {
      Amounts& charge = charges.emplace_back(type.charge);
      for (int64_t& amount : charge) amount = -amount;
      types.push_back({charge, type.rows});
    }
    index.emplace().build(pool.rows.size(), types);
  }
  Amounts least = bin.charge;
  for (size_t i = 0; i < least.size(); ++i) least[i] = -(least[i] + left_[p][i]);
  if (!index->keep(least, rows)) rows.clear();
  return rows;
}

// Lists the cheapest types first, beginning with that of the node's row: EC2 launches the cheapest listed type, so a
// type that the plan could not launch for less is not listed.
std::vector<size_t> Finisher::types_to_list(const Open& open) const {
  const PoolProblem& pool = problem_.pools[open.pool];
  const size_t launched = pool.rows[open.row].type;
  std::vector<char> known(pool.types.size(), 0);  // listed or cheaper
  std::vector<size_t> types;
  for (size_t r = open.rows.first(); r != RowSet::kNone; r = open.rows.next(r)) {
    const size_t t = pool.rows[r].type;
    if (known[t] != 0) continue;
    if (types.size() == problem_.options.max_instance_types) break;
    known[t] = 1;
    if (r >= open.row || t == launched) types.push_back(t);
  }
  return types;
}

TypeNames::Table Finisher::names_of(size_t pool) {
  TypeNames::Table& table = tables_[pool];
  if (!table) {
    std::vector<std::string> names;
    for (const TypeProblem& type : problem_.pools[pool].types) names.push_back(type.type->name);
    table = std::make_shared<const std::vector<std::string>>(std::move(names));
  }
  return table;
}

// Nodes with the same choice share its list of names. Each node subtracts from `left` the amount by which the largest
// charge of its listed types exceeds its own charge. `rows`: the rows to launch; a price cap removes some of them.
const Finisher::Choice& Finisher::choice_of(const Bin& bin, RowSet& rows) {
  const auto p = static_cast<size_t>(bin.pool);
  Open open{p, bin.row, affordable_rows(bin, rows)};
  const auto known = below_ ? choices_.end() : choices_.find(open);
  Choice* choice = known != choices_.end() ? &known->second : nullptr;
  if (choice == nullptr) {
    Choice fresh{{}, Amounts(left_[p].size(), 0)};
    std::vector<size_t> types = types_to_list(open);
    for (const size_t t : types) {
      const Amounts& charge = problem_.pools[p].types[t].charge;
      for (size_t i = 0; i < charge.size(); ++i) fresh.most[i] = std::max(fresh.most[i], charge[i]);
    }
    settle_price_cap(bin, rows, types);
    fresh.names = TypeNames(names_of(p), {types.begin(), types.end()});
    choice = below_ ? &(only_ = std::move(fresh)) : &choices_.emplace(std::move(open), std::move(fresh)).first->second;
  }
  for (size_t i = 0; i < left_[p].size(); ++i) left_[p][i] -= std::max<int64_t>(0, choice->most[i] - bin.charge[i]);
  return *choice;
}

// Under a price cap, keeps only offerings below it. First it keeps the capacity type that the node launches, if several
// are open. Then it drops the types with an open offering at or above the cap. If the launched type is one of them, it
// pins the zone of the launch and drops the types that reach the cap there.
void Finisher::settle_price_cap(const Bin& bin, RowSet& rows, std::vector<size_t>& types) {
  if (!below_) return;
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
  const auto open = claims_.requirements(bin, rows, pinned_zone_);
  const auto too_dear = [&](size_t t) {
    const auto& offerings = pool.types[t].type->offerings;
    return std::any_of(offerings.begin(), offerings.end(), [&](const model::Offering& o) {
      if (!o.available || o.price < *below_) return false;
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
        return o.available && o.zone == zone && o.capacity_type == capacity_type && o.price >= *below_;
      });
    };
    keep_only([&](const Row& row) { return !dear_here(row.type); });
  } else {
    keep_only([&](const Row& row) { return !too_dear(row.type); });
  }
}

void Finisher::describe(const Bin& bin, PlannedNode& node) {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  pinned_zone_.reset();
  RowSet rows = launchable_rows(bin);
  node.instance_types = choice_of(bin, rows).names;
  const Claim& claim = claims_.of(bin, rows, pinned_zone_);
  node.requirements = claim.requirements;
  node.labels = claim.labels;
  const model::Offering& offering = *pool.rows[bin.row].offering;
  node.launch = {node.instance_types.front(), offering.zone,           offering.zone_id,
                 offering.capacity_type,      offering.reservation_id, offering.price};
  node.taints = pool.pool->node_template.taints;
  node.startup_taints = pool.pool->node_template.startup_taints;
}

RelaxedPreferences Finisher::relaxed_on(const Bin& bin) {
  std::set<const std::vector<std::string>*> lists;
  for (const Placed& p : bin.placed) {
    const RelaxedPreferences& relaxed = problem_.classes[p.pod_class].forms[p.form].relaxed;
    if (!relaxed->empty()) lists.insert(&*relaxed);
  }
  if (lists.empty()) return {};
  const auto [at, fresh] = relaxed_.try_emplace(lists);
  if (fresh) {
    std::set<std::string> all;
    for (const auto* list : lists) all.insert(list->begin(), list->end());
    at->second.edit().assign(all.begin(), all.end());
  }
  return at->second;
}

PlannedNode Finisher::planned(const Bin& bin) {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  PlannedNode node;
  node.pool = pool.name;
  node.pods = pod_keys(bin);
  describe(bin, node);
  node.relaxed = relaxed_on(bin);
  const Amounts& daemons = pool.types[pool.rows[bin.row].type].daemons;
  for (size_t i = 0; i < daemons.size(); ++i) {
    if (bin.used[i] + daemons[i] > 0) node.requests.set(problem_.resources[i], bin.used[i] + daemons[i]);
  }
  for (size_t i = 0; i < pool.min_values.size(); ++i) {
    node.min_values_relaxed = node.min_values_relaxed || bin.min_values[i] < pool.min_values[i].second;
  }
  node.runners_up = runners_up(state_, bin, node);
  return node;
}

Solution Finisher::run() {
  Solution solution;
  std::vector<std::pair<size_t, const Bin*>> fresh;  // by their first pod
  for (const Bin& bin : state_.bins()) {
    if (bin.placed.empty()) continue;
    for (const Placed& p : bin.placed) {
      const RelaxedPreferences& relaxed_here = problem_.classes[p.pod_class].forms[p.form].relaxed;
      if (!relaxed_here->empty()) solution.relaxed[problem_.pods[p.pod].pod->key()] = relaxed_here;
    }
    if (bin.fresh()) {
      const auto first = std::min_element(bin.placed.begin(), bin.placed.end(),
                                          [](const Placed& a, const Placed& b) { return a.pod < b.pod; });
      fresh.emplace_back(first->pod, &bin);
    } else {
      solution.existing[problem_.nodes[static_cast<size_t>(bin.node)].name] = pod_keys(bin);
    }
  }
  std::sort(fresh.begin(), fresh.end());
  solution.new_nodes.reserve(fresh.size());
  for (const auto& [first, bin] : fresh) {
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

Solution finish(const State& state) { return Finisher(state, state.fresh_bins()).run(); }

std::vector<PlannedNode> finish_nodes(const State& state, size_t first,
                                      const std::vector<std::optional<model::Price>>& below) {
  Finisher finisher(state, state.bins().size() - first);
  std::vector<PlannedNode> nodes;
  for (size_t b = first; b < state.bins().size(); ++b) {
    finisher.sell_below(below[b - first]);
    nodes.push_back(finisher.planned(state.bins()[b]));
    nodes.back().id = "new-" + std::to_string(nodes.size() - 1);
  }
  return nodes;
}

}  // namespace tenon::scheduling
