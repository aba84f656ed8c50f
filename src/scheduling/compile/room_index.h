// RoomIndex: finds the rows of a pool that have room for given amounts, with one set operation per resource in place of
// a comparison per row and resource. For each resource it stores the distinct free amounts in ascending order, each
// with the set of rows that have at least this much:
//
//   memory, GiB:   4 → {0, 1, 2, 3}   8 → {1, 2, 3}   16 → {3}
//
// keep() finds the first amount that is not below the need (6 GiB → 8) by binary search, and intersects the rows with
// its set. Cost: resources × (log amounts + rows / 64) for each query; memory: distinct amounts × rows / 8 bytes for
// each resource.
//
// Const after build(), so threads may share it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scheduling/compile/row_set.h"

namespace tenon::scheduling {

using Amounts = std::vector<int64_t>;  // by Problem::resources

class RoomIndex {
 public:
  // Rows that have the same amounts free, as those of one type.
  struct Rows {
    const Amounts& free;  // of the same size in all
    const std::vector<size_t>& rows;
  };
  // `count`: the number of all rows.
  void build(size_t count, const std::vector<Rows>& all);
  // Removes the rows that have less than `needed` of some resource. Returns false if no row remains; `rows` is then
  // unspecified.
  bool keep(const Amounts& needed, RowSet& rows) const;
  // Returns how many times `each` fits beside `used` at most, resource by resource; not more than `limit`.
  int64_t most(const Amounts& used, const Amounts& each, int64_t limit) const;

 private:
  struct Steps {
    std::vector<int64_t> amounts;  // ascending
    std::vector<RowSet> rows;      // by amount: rows with at least this much
  };
  std::vector<Steps> by_resource_;
};

}  // namespace tenon::scheduling
