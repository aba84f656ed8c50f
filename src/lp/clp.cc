// Implements lp.h with COIN-OR's Clp, for the lower bound (scheduling/bound) and the packing by columns
// (scheduling/pack): both add columns and solve again, many times. Clp starts each solve from the last basis. Its
// results are floating point; solve() returns nothing unless Clp reports a proven optimum, and the callers then use
// what they had before.
// SPDX-License-Identifier: Apache-2.0
#include <coin/ClpSimplex.hpp>
#include <limits>

#include "lp/lp.h"

namespace tenon::lp {

namespace {

// Columns that wait for the next solve: Clp copies its whole matrix each time that columns are added.
struct Waiting {
  std::vector<double> lower, upper, cost, values;
  std::vector<int> starts{0}, rows;
};

}  // namespace

struct Lp::Impl {
  ClpSimplex model;
  Waiting waiting;
};

Lp::Lp(const std::vector<double>& at_least) : impl_(std::make_unique<Impl>()) {
  ClpSimplex& model = impl_->model;
  model.setLogLevel(0);
  model.scaling(0);  // counts and prices have similar sizes already
  model.resize(static_cast<int>(at_least.size()), 0);
  for (size_t row = 0; row < at_least.size(); ++row) {
    model.setRowBounds(static_cast<int>(row), at_least[row], COIN_DBL_MAX);
  }
}

Lp::~Lp() = default;

void Lp::add(const Column& column) {
  Waiting& waiting = impl_->waiting;
  for (const auto& [row, value] : column.entries) {
    waiting.rows.push_back(row);
    waiting.values.push_back(value);
  }
  waiting.starts.push_back(static_cast<int>(waiting.rows.size()));
  waiting.lower.push_back(0);
  waiting.upper.push_back(column.upper == std::numeric_limits<double>::infinity() ? COIN_DBL_MAX : column.upper);
  waiting.cost.push_back(column.cost);
}

std::optional<Optimum> Lp::solve() {
  ClpSimplex& model = impl_->model;
  if (Waiting& w = impl_->waiting; !w.cost.empty()) {
    model.addColumns(static_cast<int>(w.cost.size()), w.lower.data(), w.upper.data(), w.cost.data(), w.starts.data(),
                     w.rows.data(), w.values.data());
    w = {};
  }
  model.primal(1);
  if (!model.isProvenOptimal()) return std::nullopt;
  Optimum optimum;
  optimum.value = model.objectiveValue();
  const double* duals = model.dualRowSolution();
  optimum.duals.assign(duals, duals + model.numberRows());
  const double* levels = model.primalColumnSolution();
  optimum.levels.assign(levels, levels + model.numberColumns());
  return optimum;
}

}  // namespace tenon::lp
