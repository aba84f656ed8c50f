// lp.h on COIN-OR's Clp.
// SPDX-License-Identifier: Apache-2.0
#include <coin/ClpSimplex.hpp>

#include "lp/lp.h"

namespace tenon::lp {

struct Lp::Impl {
  ClpSimplex model;
};

Lp::Lp(const std::vector<double>& at_least) : impl_(std::make_unique<Impl>()) {
  ClpSimplex& model = impl_->model;
  model.setLogLevel(0);
  model.resize(static_cast<int>(at_least.size()), 0);
  for (size_t row = 0; row < at_least.size(); ++row) {
    model.setRowBounds(static_cast<int>(row), at_least[row], COIN_DBL_MAX);
  }
}

Lp::~Lp() = default;

void Lp::add(const Column& column) {
  std::vector<int> rows;
  std::vector<double> values;
  for (const auto& [row, value] : column.entries) {
    rows.push_back(row);
    values.push_back(value);
  }
  const double upper = column.upper == std::numeric_limits<double>::infinity() ? COIN_DBL_MAX : column.upper;
  impl_->model.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0, upper, column.cost);
}

void Lp::require(int row, double at_least) { impl_->model.setRowBounds(row, at_least, COIN_DBL_MAX); }

std::optional<Optimum> Lp::solve() {
  ClpSimplex& model = impl_->model;
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
