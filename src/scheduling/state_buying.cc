// The rules of a State about what a node is bought as: limits, prices, reservations, minValues.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/check.h"
#include "model/labels.h"
#include "scheduling/state.h"

namespace tenon::scheduling {

bool State::within_limits(const PoolProblem& pool, const Bin& bin, const Amounts& charge) const {
  const Amounts& left = left_[static_cast<size_t>(&pool - problem_->pools.data())];
  for (size_t i = 0; i < left.size(); ++i) {
    if (charge[i] > left[i] + bin.charge[i]) return false;
  }
  return true;
}

bool State::may_buy(const Bin& bin, const Row& row) const {
  return row.reservation == kNone || row.reservation == bin.reservation ||
         reservations_[static_cast<size_t>(row.reservation)] > 0;
}

// Where some row is of a reservation, only such rows stay open; false if none of them may be bought.
bool State::keep_reserved(const PoolProblem& pool, const Bin& bin, Fit& fit) const {
  RowSet reserved(pool.rows.size());
  bool possible = bin.reservation != kNone, open = false;
  for (size_t r = fit.rows.first(); r != RowSet::kNone; r = fit.rows.next(r)) {
    const Row& row = pool.rows[r];
    if (row.reservation == kNone || problem_->reservations[static_cast<size_t>(row.reservation)].second <= 0) continue;
    possible = true;
    reserved.set(r);
    open |= may_buy(bin, row);
  }
  if (possible) fit.rows = std::move(reserved);
  return !possible || open;
}

// The cheapest open row within the limits; with it, as many more types as minValues ask for.
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
  for (size_t r = fit.rows.first(); r != RowSet::kNone; r = fit.rows.next(r)) {
    const Row& row = pool.rows[r];
    const TypeProblem& type = pool.types[row.type];
    if (!may_buy(bin, row) || !within_limits(pool, bin, type.charge)) continue;
    fit.row = r;
    fit.reservation = row.reservation;
    fit.charge = type.charge;
    return true;
  }
  return false;
}

void State::launch(size_t index, size_t row) {
  note(index);
  Bin& bin = bins_[index];
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  Fit fit;
  fit.rows = RowSet(pool.rows.size());
  fit.rows.set(row);
  fit.row = row;
  fit.reservation = pool.rows[row].reservation;
  fit.charge = pool.types[pool.rows[row].type].charge;
  fit.min_values = bin.min_values;
  buy(bin, fit);
  bin.launched = true;
}

void State::buy(Bin& bin, const Fit& fit) {
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

void State::buy_again() {
  CHECK(!journal_.on, "nothing is tried out");
  for (Bin& bin : bins_) {
    if (!bin.fresh() || bin.placed.empty()) continue;
    Fit fit;
    fit.rows = bin.rows;
    if (choose_row(bin, fit) && fit.row < bin.row) buy(bin, fit);
  }
}

// A node holds one reservation and buys from it alone, or buys from none: so where a reservation cannot show the
// values, the next cheapest is tried without it. With BestEffort the first pod lowers what the node must keep open to
// what there is. parity: karpenter pkg/cloudprovider/types.go SatisfiesMinValues
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
    if (tried.contains(reservation) || !may_buy(bin, pool.rows[r])) continue;
    if (show_values(pool, bin, reservation, false, fit)) return true;
    tried.insert(reservation);
    if (!cheapest && fit.row != RowSet::kNone) cheapest = reservation;
  }
  return lower && cheapest && show_values(pool, bin, *cheapest, true, fit);
}

// Counts only types that the claim will list: the cheapest, as many as it may.
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
