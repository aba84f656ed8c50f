// RoomIndex: which rows of a pool have room for given amounts, as one set operation per resource. Const after build();
// no thread rule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scheduling/row_set.h"

namespace tenon::scheduling {

using Amounts = std::vector<int64_t>;  // by Problem::resources

class RoomIndex {
 public:
  // `free` by row; all of the same size.
  void build(const std::vector<const Amounts*>& free);
  // Takes out the rows that have less than this of something; false if none is left.
  bool keep(const Amounts& needed, RowSet& rows) const;

 private:
  struct Steps {
    std::vector<int64_t> amounts;  // ascending
    std::vector<RowSet> rows;      // by amount: with at least that
  };
  std::vector<Steps> by_resource_;
};

}  // namespace tenon::scheduling
