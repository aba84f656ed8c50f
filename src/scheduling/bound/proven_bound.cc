// A lower bound of what any plan pays, with a proof in integers.
//
// The problem: how far can a plan be from the optimum? Resources alone bound poorly, because whole pods leave gaps. The
// cutting-stock model of Gilmore and Gomory bounds far better: a linear programme (LP) with a column for each filling
// of each kind of node, and a row for each demand. Its dual gives each pod a value. If no filling is worth more than
// its node costs, every plan pays at least the value of all pods.
//
// The method:
// - Relax the problem (relaxation.h): demands of equal pods, kinds of nodes, few rules.
// - Find values: by one resource, by all resources with a small LP, and by column generation. The latter solves the LP
//   over the columns so far, searches for each kind the filling with the highest value (knapsack.h), adds the fillings
//   that are worth more than their nodes, and repeats.
// - Prove values: the LP computes in floating point and may be unfinished, so each kind is searched again in integers.
//   The values are scaled by the least price / highest value over the kinds, so that no node is worth more than it
//   costs (Farley's bound). Kinds of limited number (existing nodes, reservations) may be worth more: the excess of
//   each copy is subtracted from the sum, as in a Lagrangian bound. Any values prove some bound.
//
// Example: 10 pods of 3 CPU, nodes of 8 CPU for 0.40 USD/h. By CPU, a pod has the value 3 × 0.05 = 0.15, together 1.50.
// A node holds 2 pods, worth 0.30. Scaled by 0.40 / 0.30, a pod is worth 0.20, and the bound is 2.00: the price of 5
// nodes.
//
// Cost: independent of the number of pods. D demands (160 at most) and K kinds: each round solves an LP of D rows and
// searches K knapsacks of up to D pieces; rounds and searches are limited by the constants below.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/bound/proven_bound.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "lp/lp.h"
#include "scheduling/bound/knapsack.h"

namespace tenon::scheduling {
namespace {

using Wide = __int128;

constexpr int kMostRounds = 100;       // of new columns
constexpr int64_t kPricingSteps = 40;  // for one kind of node in one round, at first
constexpr int64_t kCloserSteps = 8;    // times as many if hardly any column is found
constexpr int64_t kMostPricingSteps = 2'560;
constexpr int64_t kLittle = 2'000;              // a round that gains less than one part in so many gets more steps
constexpr int64_t kMostWork = 120'000'000;      // steps × demands, before the proof
constexpr int64_t kSharing = 32;                // a step is so many times as much work with groups
constexpr int64_t kProofSteps = 40'000;         // for one kind of node in the proof,
constexpr int64_t kProofWork = 2'000'000;       // or so many steps × demands
constexpr int64_t kLargest = int64_t{1} << 60;  // of all pods' values together
constexpr int64_t kCloseEnough = 150;           // to the plan: one part in so many of its price
constexpr size_t kSmall = 100;                  // demands × kinds of nodes: the LP takes little time
constexpr double kCloseShare = 0.9996;          // rounds end if this part of the values is proven

double usd(int64_t pico) { return static_cast<double>(pico) / kPico; }

bool without_limit(const Kind& kind) { return kind.copies == kAsManyAsNeeded; }

Wide worth(const Relaxation& relaxation, const std::vector<int64_t>& values) {
  Wide sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += Wide{values[i]} * relaxation.demands[i].count;
  return sum;
}

// Returns values by each resource alone, at its lowest price for a unit. They are the start, and the result if the LP
// fails. There is at least one demand.
std::vector<std::vector<int64_t>> simple_values(const Relaxation& relaxation) {
  std::vector<std::vector<int64_t>> all;
  const size_t resources = relaxation.demands.front().requests.size();
  for (size_t r = 0; r < resources; ++r) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < relaxation.demands.size(); ++i) {
      double least = INFINITY;
      for (const Kind& kind : relaxation.kinds) {
        if (without_limit(kind) && kind.caps[i] > 0 && kind.free[r] > 0)
          least = std::min(least, static_cast<double>(kind.price.value()) / static_cast<double>(kind.free[r]));
      }
      const double value = least * static_cast<double>(relaxation.demands[i].requests[r]);
      values.push_back(std::isfinite(value) ? static_cast<int64_t>(value) : 0);
    }
    all.push_back(std::move(values));
  }
  return all;
}

// Returns values by prices of all resources and of the places of groups. They are the duals of a small LP: the cheapest
// nodes that have enough of each resource, and places for the pods of each group, if pods could be cut.
std::vector<int64_t> values_by_resource(const Relaxation& relaxation) {
  const size_t resources = relaxation.demands.front().requests.size();
  std::vector<double> total(resources, 0);
  std::map<int, size_t> row_of;  // of groups
  for (const Demand& demand : relaxation.demands) {
    for (size_t r = 0; r < resources; ++r)
      total[r] += static_cast<double>(demand.requests[r]) * static_cast<double>(demand.count);
    if (demand.group == kNone) continue;
    const auto [at, fresh] = row_of.try_emplace(demand.group, total.size());
    if (fresh) total.push_back(0);
    total[at->second] += static_cast<double>(demand.count);
  }
  std::vector<double> rows;
  for (const double amount : total) rows.push_back(amount > 0 ? 1 : 0);
  if (std::none_of(relaxation.kinds.begin(), relaxation.kinds.end(), without_limit)) return {};
  lp::Lp programme(rows);
  for (const Kind& kind : relaxation.kinds) {
    if (!without_limit(kind)) continue;
    std::vector<double> has(total.size(), 0);
    for (size_t r = 0; r < resources; ++r) has[r] = static_cast<double>(kind.free[r]);
    for (size_t i = 0; i < relaxation.demands.size(); ++i) {
      const Demand& demand = relaxation.demands[i];
      if (demand.group == kNone) continue;
      double& places = has[row_of.at(demand.group)];
      if (most_of(relaxation.demands, i, kind) > 0) places = static_cast<double>(demand.together);
    }
    lp::Column column{.cost = usd(kind.price.value()), .entries = {}};
    for (size_t r = 0; r < has.size(); ++r) {
      if (total[r] > 0 && has[r] > 0) column.entries.emplace_back(static_cast<int>(r), has[r] / total[r]);
    }
    programme.add(column);
  }
  const std::optional<lp::Optimum> optimum = programme.solve();
  if (!optimum) return {};
  const auto price = [&](size_t row) { return total[row] > 0 ? std::max(0.0, optimum->duals[row]) / total[row] : 0; };
  std::vector<int64_t> values;
  for (const Demand& demand : relaxation.demands) {
    double value = demand.group == kNone ? 0 : price(row_of.at(demand.group));
    for (size_t r = 0; r < resources; ++r) value += price(r) * static_cast<double>(demand.requests[r]);
    values.push_back(static_cast<int64_t>(value * kPico));
  }
  return values;
}

class Columns {
 public:
  explicit Columns(const Relaxation& relaxation) : relaxation_(relaxation), programme_(rows(relaxation)) {
    // Artificial columns: without them the first LP may be infeasible.
    double dear = 1;
    for (const Kind& kind : relaxation.kinds) dear += usd(kind.price.value());
    for (size_t i = 0; i < relaxation.demands.size(); ++i)
      programme_.add({.cost = dear, .entries = {{static_cast<int>(i), 1}}});
    for (const Kind& kind : relaxation.kinds) {
      limit_row_.push_back(without_limit(kind) ? kNone : next_row_++);
    }
    for (size_t i = 0; i < relaxation.demands.size(); ++i) start_with(i);
  }

  // Returns values by demand, at least 0; std::nullopt if the LP fails.
  std::optional<std::vector<int64_t>> values() {
    const std::optional<lp::Optimum> optimum = programme_.solve();
    if (!optimum) return std::nullopt;
    duals_ = optimum->duals;
    std::vector<int64_t> values;
    for (size_t i = 0; i < relaxation_.demands.size(); ++i)
      values.push_back(static_cast<int64_t>(std::max(0.0, duals_[i]) * kPico));
    return values;
  }

  // Adds the best filling of each kind that is worth more than it costs. Returns false if there is none. Sets `share`,
  // the part of these values that is proven.
  bool grow(const std::vector<int64_t>& values, int64_t most_steps) {
    bool grown = false;
    share = 1;
    for (size_t k = 0; k < relaxation_.kinds.size(); ++k) {
      const Kind& kind = relaxation_.kinds[k];
      const double rent = limit_row_[k] == kNone ? 0 : duals_[static_cast<size_t>(limit_row_[k])];
      const double cost = usd(kind.price.value()) + rent;
      const Filling filling =
          best_filling(relaxation_.demands, kind, values, static_cast<int64_t>(cost * kPico), most_steps);
      steps += filling.steps;
      share = std::min(share, cost / std::max(cost, usd(filling.at_most)));
      if (usd(filling.value) <= cost * (1 + 1e-7) + 1e-9) continue;
      lp::Column column{.cost = usd(kind.price.value()), .entries = {}};
      for (size_t i = 0; i < filling.counts.size(); ++i) {
        if (filling.counts[i] > 0)
          column.entries.emplace_back(static_cast<int>(i), static_cast<double>(filling.counts[i]));
      }
      if (limit_row_[k] != kNone) column.entries.emplace_back(limit_row_[k], -1);
      programme_.add(column);
      grown = true;
    }
    return grown;
  }
  double share = 0;
  int64_t steps = 0;  // done so far

 private:
  // Adds a column of the kind that is cheapest for the pods of this demand alone.
  void start_with(size_t demand) {
    lp::Column best{.cost = INFINITY, .entries = {}};
    for (const Kind& kind : relaxation_.kinds) {
      if (!without_limit(kind)) continue;
      const auto count = static_cast<double>(most_of(relaxation_.demands, demand, kind));
      const double cost = usd(kind.price.value());
      if (count > 0 && (best.entries.empty() || cost / count < best.cost / best.entries.front().second))
        best = {.cost = cost, .entries = {{static_cast<int>(demand), count}}};
    }
    if (!best.entries.empty()) programme_.add(best);
  }

  // One row for each demand: all its pods. Then one row for each limited kind: no more nodes than there are.
  static std::vector<double> rows(const Relaxation& relaxation) {
    std::vector<double> at_least;
    for (const Demand& demand : relaxation.demands) at_least.push_back(static_cast<double>(demand.count));
    for (const Kind& kind : relaxation.kinds) {
      if (!without_limit(kind)) at_least.push_back(-static_cast<double>(kind.copies));
    }
    return at_least;
  }

  const Relaxation& relaxation_;
  lp::Lp programme_;
  int next_row_ = static_cast<int>(relaxation_.demands.size());
  std::vector<int> limit_row_;
  std::vector<double> duals_;
};

}  // namespace

// With f = min over the unlimited kinds of price / highest value, no node of these kinds is worth more than it costs at
// values × f. A node of a limited kind may be worth more: the most that its copies save is subtracted.
Bound proven_bound(const Relaxation& relaxation, const std::vector<int64_t>& given, model::Price known) {
  std::vector<int64_t> values = given;
  for (const auto too_large = [&] { return worth(relaxation, values) > kLargest; }; too_large();) {
    for (int64_t& value : values) value /= 2;
  }
  int64_t price = 1, most = 0;  // f = price / most
  std::vector<int64_t> limited;
  const auto demands = static_cast<int64_t>(relaxation.demands.size());
  const int64_t most_steps = std::min(kProofSteps, kProofWork / std::max<int64_t>(1, demands));
  int64_t steps = 0;
  const Wide sum = worth(relaxation, values);
  for (const Kind& kind : relaxation.kinds) {
    if (most > 0 && sum * price / most <= known.value()) return {known, steps};  // each kind lowers the bound
    // A kind with no more value for its price than an earlier kind does not lower the bound.
    int64_t enough = kind.price.value();
    if (without_limit(kind) && most > 0)
      enough = static_cast<int64_t>(std::max<Wide>(enough, std::min<Wide>(Wide{enough} * most / price, kLargest)));
    const Filling filling = best_filling(relaxation.demands, kind, values, enough, most_steps);
    const int64_t at_most = filling.at_most;
    steps += filling.steps;
    if (!without_limit(kind)) {
      limited.push_back(at_most);
    } else if (at_most > 0 && (most == 0 || Wide{kind.price.value()} * most < Wide{price} * at_most)) {
      price = kind.price.value();
      most = at_most;
    }
  }
  if (most == 0) price = most = 1;  // no unlimited kind has any value: f may be any
  Wide bound = 0;
  for (size_t i = 0; i < values.size(); ++i) bound += Wide{values[i]} * price / most * relaxation.demands[i].count;
  size_t next = 0;
  for (const Kind& kind : relaxation.kinds) {
    if (without_limit(kind)) continue;
    const Wide value = (Wide{limited[next++]} * price + most - 1) / most;
    bound -= std::max<Wide>(0, value - kind.price.value()) * kind.copies;
  }
  return {model::Price(static_cast<int64_t>(std::clamp<Wide>(bound, 0, INT64_MAX))), steps};
}

Bound relaxed_bound(const Relaxation& relaxation, model::Price plan) {
  if (relaxation.demands.empty()) return {};
  Bound best;
  const auto prove = [&](const std::vector<int64_t>& values) {
    const Bound proven = proven_bound(relaxation, values, best.price);
    best = {std::max(best.price, proven.price), best.steps + proven.steps};
  };
  const bool small = relaxation.demands.size() * relaxation.kinds.size() <= kSmall;
  const auto close_enough = [&] { return !small && plan.value() - best.price.value() <= plan.value() / kCloseEnough; };
  for (const auto& values : simple_values(relaxation)) prove(values);
  if (close_enough()) return best;
  if (const auto values = values_by_resource(relaxation); !values.empty()) prove(values);
  if (close_enough()) return best;
  Columns columns(relaxation);
  std::vector<int64_t> last, closest;  // the last values are the best of the LP, but others may be easier to prove
  const bool shares = std::any_of(relaxation.demands.begin(), relaxation.demands.end(),
                                  [](const Demand& demand) { return demand.group != kNone; });
  const int64_t most_steps = kMostWork / (shares ? kSharing : 1) / static_cast<int64_t>(relaxation.demands.size());
  double most = -1;
  for (int64_t round = 0, steps = kPricingSteps;
       round < kMostRounds && steps <= kMostPricingSteps && columns.steps < most_steps; ++round) {
    std::optional<std::vector<int64_t>> values = columns.values();
    if (!values) break;
    const bool first = last.empty();
    const Wide before = worth(relaxation, last);
    last = std::move(*values);
    const bool little = !first && worth(relaxation, last) > before - before / kLittle;
    const bool grown = columns.grow(last, steps);
    if (!grown || (little && steps < kMostPricingSteps)) steps *= kCloserSteps;
    const double proven = columns.share * static_cast<double>(worth(relaxation, last));
    if (proven > most) {
      most = proven;
      closest = last;
    }
    if (columns.share >= kCloseShare) break;  // better values can prove hardly more
  }
  if (!last.empty()) prove(last);
  if (closest != last) prove(closest);
  best.steps += columns.steps;
  return best;
}

}  // namespace tenon::scheduling
