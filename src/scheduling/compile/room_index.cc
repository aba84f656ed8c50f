// SPDX-License-Identifier: Apache-2.0
#include "scheduling/compile/room_index.h"

#include <algorithm>
#include <numeric>

namespace tenon::scheduling {

void RoomIndex::build(const std::vector<const Amounts*>& free) {
  const size_t resources = free.empty() ? 0 : free.front()->size();
  by_resource_.assign(resources, {});
  std::vector<size_t> order(free.size());
  for (size_t r = 0; r < resources; ++r) {
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return (*free[a])[r] > (*free[b])[r]; });
    RowSet rows(free.size());
    Steps& steps = by_resource_[r];
    for (size_t i = 0; i < order.size(); ++i) {
      const int64_t amount = (*free[order[i]])[r];
      rows.set(order[i]);
      if (i + 1 < order.size() && (*free[order[i + 1]])[r] == amount) continue;
      steps.amounts.push_back(amount);
      steps.rows.push_back(rows);
    }
    std::reverse(steps.amounts.begin(), steps.amounts.end());
    std::reverse(steps.rows.begin(), steps.rows.end());
  }
}

bool RoomIndex::keep(const Amounts& needed, RowSet& rows) const {
  for (size_t r = 0; r < by_resource_.size(); ++r) {
    if (by_resource_[r].amounts.back() < needed[r]) return false;
  }
  for (size_t r = 0; r < by_resource_.size(); ++r) {
    const auto& [amounts, with] = by_resource_[r];
    const auto at = std::lower_bound(amounts.begin(), amounts.end(), needed[r]) - amounts.begin();
    if (at > 0) rows &= with[static_cast<size_t>(at)];
  }
  return rows.any();
}

int64_t RoomIndex::most(const Amounts& used, const Amounts& each, int64_t limit) const {
  for (size_t r = 0; r < by_resource_.size(); ++r) {
    if (each[r] > 0) limit = std::min(limit, (by_resource_[r].amounts.back() - used[r]) / each[r]);
  }
  return limit;
}

}  // namespace tenon::scheduling
