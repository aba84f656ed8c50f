// Which row a new node is launched as: prices, limits, reservations, minValues.
//
// The rows of a pool are in order of price, so the choice is a scan for the first open row that fits the limits and, if
// it belongs to a reservation, for which an instance is left. Limits are charged with the capacity of the chosen type.
// With minValues, a node must be able to become several types: rows are taken in order of price until each key has
// enough values, and the charge is the maximum of each resource over these types, because the cloud may launch any of
// them.
//
//   minValues of instance-type 3: t3.medium, t3a.medium, c5.large are taken; price: t3.medium; charge: the largest.
//
// If spare_limits() is on, the row with the smallest share of the limits is chosen in place of the cheapest.
//
// take_sides(): a spread may count only the pods of some nodes. If a new node may still become a counted or an
// uncounted one, its rows are cut to one side when a pod is placed that the spread counts but does not bind
// (docs/decisions/0026).
//
// Cost: linear in the open rows; with minValues × keys.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/check.h"
#include "model/labels.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/input/type_labels.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

bool State::within_limits(const PoolProblem& pool, const Bin& bin, const Amounts& charge) const {
  const Amounts& left = left_[static_cast<size_t>(&pool - problem_->pools.data())];
  for (size_t i = 0; i < left.size(); ++i) {
    if (charge[i] > left[i] + bin.charge[i]) return false;
  }
  return true;
}

bool State::reservation_allows(const Bin& bin, const Row& row) const {
  return row.reservation == kNone || row.reservation == bin.reservation ||
         reservations_[static_cast<size_t>(row.reservation)] > 0;
}

// Keeps only rows of reservations, if there are any; returns false if none of them has an instance left. If no row is
// of a reservation, keeps all.
bool State::keep_reserved(const PoolProblem& pool, const Bin& bin, Fit& fit) const {
  RowSet reserved(pool.rows.size());
  bool possible = bin.reservation != kNone, open = false;
  for (size_t r = fit.rows.first(); r != RowSet::kNone; r = fit.rows.next(r)) {
    const Row& row = pool.rows[r];
    if (row.reservation == kNone || problem_->reservations[static_cast<size_t>(row.reservation)].second <= 0) continue;
    possible = true;
    reserved.set(r);
    open |= reservation_allows(bin, row);
  }
  if (possible) fit.rows = std::move(reserved);
  return !possible || open;
}

// Chooses the cheapest open row within the limits and, with it, the further types that minValues require.
bool State::choose_row(const Bin& bin, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  if (bin.launched) {
    fit.row = bin.row;
    fit.reservation = bin.reservation;
    fit.charge = bin.charge;
    return fit.rows.test(bin.row);
  }
  if (problem_->options.strict_reserved && !keep_reserved(pool, bin, fit)) return false;
  if (!pool.min_values.empty()) return reach_min_values(pool, bin, fit);
  const bool cheapest = !sparing_ || pool.limited.empty();
  std::optional<double> least;  // share of the limits
  for (size_t r = fit.rows.first(); r != RowSet::kNone && !(cheapest && least); r = fit.rows.next(r)) {
    const Row& row = pool.rows[r];
    const TypeProblem& type = pool.types[row.type];
    if (!reservation_allows(bin, row) || !within_limits(pool, bin, type.charge)) continue;
    const double share = cheapest ? 0 : share_of_limits(pool, type);
    if (least && share >= *least) continue;
    least = share;
    fit.row = r;
    fit.reservation = row.reservation;
    fit.charge = type.charge;
  }
  return least.has_value();
}

// Cuts the rows of a new node to one side of each spread that counts the pods of some nodes only, so that the count
// does not depend on what the node becomes. The side is that of the cheapest row, or the uncounted side if the spread
// allows no more pods in the domain.
bool State::take_sides(const Bin& bin, const Ask& ask, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  bool changed = false;
  for (const auto& [key, use] : problem_->classes[ask.pod_class].forms[ask.form].uses) {
    const Group& group = problem_->groups[use.group];
    if (!use.matched || use.owned || !group.takes_sides()) continue;
    const RowSet& counted_rows = problem_->filters[group.filter].rows[static_cast<size_t>(bin.pool)];
    if (!fit.rows.intersects(counted_rows)) continue;
    const bool trusted = ask.domains != nullptr && !ask.check;
    const bool allowed = trusted || domain_allowed(use, fit.domains[static_cast<size_t>(key)], ask.count);
    if (allowed && fit.rows.within(counted_rows)) continue;
    Fit chosen = fit;
    if (ask.side != nullptr) chosen.rows &= *ask.side;
    if (!allowed) chosen.rows -= counted_rows;
    if (!choose_row(bin, chosen)) return false;
    keep_side(pool, counted_rows, chosen.row, fit);
    changed = true;
  }
  return !changed || choose_row(bin, fit);
}

// Keeps the open rows on the side of `row`. Drops whole types, else capacity types, else zones, because a NodeClaim can
// only list these.
void State::keep_side(const PoolProblem& pool, const RowSet& counted_rows, size_t row, Fit& fit) {
  const auto type = [&](size_t r) { return pool.rows[r].type; };
  const auto capacity_type = [&](size_t r) { return std::string_view(pool.rows[r].offering->capacity_type); };
  const auto zone = [&](size_t r) { return pool.rows[r].offering->zone; };
  const auto each = [&](auto visit) {
    for (size_t r = fit.rows.first(); r != RowSet::kNone; r = fit.rows.next(r)) visit(r);
  };
  // Drops all rows with a value that has rows on the other side; returns false if `row` has such a value.
  const auto keep_values = [&](auto of) {
    std::set<decltype(of(row))> dropped;
    each([&](size_t r) {
      if (counted_rows.test(r) != counted_rows.test(row)) dropped.insert(of(r));
    });
    if (dropped.contains(of(row))) return false;
    each([&](size_t r) {
      if (dropped.contains(of(r))) fit.rows.reset(r);
    });
    return true;
  };
  if (keep_values(type) || keep_values(capacity_type)) return;
  if (!keep_values(zone)) {
    each([&](size_t r) {
      if (type(r) != type(row) || capacity_type(r) != capacity_type(row) || zone(r) != zone(row)) fit.rows.reset(r);
    });
  }
  std::set<std::string> zones;
  each([&](size_t r) { zones.insert(zone(r)); });
  model::Requirements narrowed = fit.narrowed ? *fit.narrowed : pool.loose;
  narrowed.replace(model::Requirement::in(model::kLabelZone, {zones.begin(), zones.end()}));
  fit.narrowed = std::make_shared<model::Requirements>(std::move(narrowed));
}

// Returns the maximum over resources of the share that a node of the type takes of what the pool's limits leave at the
// start.
double State::share_of_limits(const PoolProblem& pool, const TypeProblem& type) {
  double most = 0;
  for (size_t i = 0; i < type.charge.size(); ++i) {
    if (pool.left[i] > 0)
      most = std::max(most, static_cast<double>(type.charge[i]) / static_cast<double>(pool.left[i]));
  }
  return most;
}

bool State::could_launch(size_t pool, size_t pod_class) const {
  const Bin& bin = blank_[pool];
  const PodClass& c = problem_->classes[pod_class];
  const auto possible = [&](const Ask& ask, const Variant& variant) {
    Fit fit;
    fit.rows = bin.rows;
    fit.rows &= variant.rows[pool];
    return fit.rows.any() && drop_full_rows(bin, c, 1, fit) && narrow(bin, ask, variant, fit) && choose_row(bin, fit);
  };
  Ask ask{.pod_class = pod_class};
  for (; ask.form < c.forms.size(); ++ask.form) {
    const auto& variants = *c.forms[ask.form].variants;
    if (std::any_of(variants.begin(), variants.end(), [&](const Variant& v) { return possible(ask, v); })) return true;
  }
  return false;
}

void State::launch(size_t index, size_t row) {
  save_bin(index);
  Bin& bin = bins_[index];
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  Fit fit;
  fit.rows = RowSet(pool.rows.size());
  fit.rows.set(row);
  fit.row = row;
  fit.reservation = pool.rows[row].reservation;
  fit.charge = pool.types[pool.rows[row].type].charge;
  fit.min_values = bin.min_values;
  charge_row(bin, fit);
  bin.launched = true;
}

void State::charge_row(Bin& bin, const Fit& fit) {
  const auto pool = static_cast<size_t>(bin.pool);
  for (size_t i = 0; i < left_[pool].size(); ++i) left_[pool][i] += bin.charge[i] - fit.charge[i];
  if (bin.reservation != kNone) ++reservations_[static_cast<size_t>(bin.reservation)];
  if (fit.reservation != kNone) --reservations_[static_cast<size_t>(fit.reservation)];
  if (bin.row == RowSet::kNone) --nodes_left_;
  bin.rows = fit.rows;
  bin.row = fit.row;
  bin.reservation = fit.reservation;
  bin.charge = fit.charge;
  bin.min_values = fit.min_values;
}

void State::rechoose_rows() {
  CHECK(!journal_.on, "nothing is tried out");
  for (bool changed = true; changed;) {
    changed = false;
    for (Bin& bin : bins_) {
      if (!bin.fresh() || bin.placed.empty()) continue;
      Fit fit;
      fit.rows = bin.rows;
      if (!choose_row(bin, fit) || fit.row >= bin.row) continue;
      charge_row(bin, fit);
      changed = true;
    }
  }
}

// A node uses one reservation only, or none. So if the rows of a reservation do not have enough values, the rows of the
// next cheapest reservation, or those without one, are tried. With BestEffort the first pod lowers minValues to the
// number of values that exist. parity: karpenter pkg/cloudprovider/types.go SatisfiesMinValues
bool State::reach_min_values(const PoolProblem& pool, const Bin& bin, Fit& fit) const {
  fit.min_values = bin.min_values;
  if (bin.placed.empty()) {
    fit.min_values.clear();
    for (const auto& [key, least] : pool.min_values) fit.min_values.push_back(least);
  }
  const bool lower = bin.placed.empty() && problem_->options.min_values == MinValuesPolicy::kBestEffort;
  std::set<int> tried;
  std::optional<int> cheapest;
  for (size_t r = fit.rows.first(); r != RowSet::kNone; r = fit.rows.next(r)) {
    const int reservation = pool.rows[r].reservation;
    if (tried.contains(reservation) || !reservation_allows(bin, pool.rows[r])) continue;
    if (show_values(pool, bin, reservation, false, fit)) return true;
    tried.insert(reservation);
    if (!cheapest && fit.row != RowSet::kNone) cheapest = reservation;
  }
  return lower && cheapest && show_values(pool, bin, *cheapest, true, fit);
}

// Chooses the cheapest row of this reservation (kNone: without one), and returns true if enough types follow for
// minValues. Counts only types that the NodeClaim will list: the cheapest max_instance_types.
bool State::show_values(const PoolProblem& pool, const Bin& bin, int reservation, bool lower, Fit& fit) const {
  std::vector<std::set<std::string_view>> seen(pool.min_values.size());
  std::set<size_t> listed;
  fit.row = RowSet::kNone;
  Amounts charge(pool.limited.size(), 0);
  const auto reached = [&] {
    for (size_t i = 0; i < seen.size(); ++i) {
      if (static_cast<int>(seen[i].size()) < fit.min_values[i]) return false;
    }
    return true;
  };
  for (size_t r = fit.rows.first(); r != RowSet::kNone && !(fit.row != RowSet::kNone && reached());
       r = fit.rows.next(r)) {
    const Row& row = pool.rows[r];
    const TypeProblem& type = pool.types[row.type];
    if (row.reservation != reservation) continue;
    if (listed.size() == problem_->options.max_instance_types && !listed.contains(row.type)) continue;
    Amounts larger = charge;
    for (size_t i = 0; i < larger.size(); ++i) larger[i] = std::max(larger[i], type.charge[i]);
    if (!within_limits(pool, bin, larger)) continue;
    charge = std::move(larger);
    listed.insert(row.type);
    if (fit.row == RowSet::kNone) {
      fit.row = r;
      fit.reservation = row.reservation;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      const std::string& key = pool.min_values[i].first;
      const model::Requirement asked = pool.requirements.get(key);
      if (const auto value = offering_value(key, *row.offering)) {
        if (asked.allows(*value)) seen[i].insert(*value);
      } else if (key == model::kLabelInstanceType) {
        seen[i].insert(type.type->name);
      } else if (const auto at = type.type->labels.find(key); at != type.type->labels.end()) {
        for (const std::string& v : at->second) {
          if (asked.allows(v)) seen[i].insert(v);
        }
      }
    }
  }
  fit.charge = std::move(charge);
  for (size_t i = 0; lower && i < seen.size(); ++i) {
    fit.min_values[i] = std::min(fit.min_values[i], static_cast<int>(seen[i].size()));
  }
  return fit.row != RowSet::kNone && reached();
}

}  // namespace tenon::scheduling
