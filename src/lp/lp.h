// A linear programme that grows by columns: minimise cost·x subject to rows ≥ their bounds, 0 ≤ x ≤ upper.
//
//   Lp lp({4, 2});                          // two rows: at least 4, at least 2
//   lp.add({.cost = 1, .entries = {{0, 2}, {1, 1}}});
//   std::optional<Optimum> o = lp.solve();  // empty: no x satisfies the rows
//
// The numbers are floating point and not proven: a caller that needs a proof computes it (see
// scheduling/bound/lower_bound.h).
// Not thread-safe.
// clp.cc is the implementation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tenon::lp {

struct Column {
  double cost = 0;
  std::vector<std::pair<int, double>> entries;  // (row, coefficient), each row once
  double upper = std::numeric_limits<double>::infinity();
};

struct Optimum {
  double value = 0;
  std::vector<double> duals;   // by row
  std::vector<double> levels;  // x, by column
};

class Lp {
 public:
  explicit Lp(const std::vector<double>& at_least);
  ~Lp();
  Lp(const Lp&) = delete;
  Lp& operator=(const Lp&) = delete;

  void add(const Column& column);
  // Starts from the last optimum, so that a few more columns cost few more steps. Returns std::nullopt if Clp proves no
  // optimum, mostly because no x satisfies the rows.
  std::optional<Optimum> solve();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenon::lp
