// SPDX-License-Identifier: Apache-2.0
#include "scheduling/compile/room_index.h"

#include <algorithm>
#include <functional>

namespace tenon::scheduling {

void RoomIndex::build(size_t count, const std::vector<Rows>& all) {
  const size_t resources = all.empty() ? 0 : all.front().free.size();
  by_resource_.assign(resources, {});
  std::vector<std::pair<int64_t, size_t>> order(all.size());  // free, index
  for (size_t r = 0; r < resources; ++r) {
    for (size_t i = 0; i < all.size(); ++i) order[i] = {all[i].free[r], i};
    std::sort(order.begin(), order.end(), std::greater<>());
    RowSet rows(count);
    Steps& steps = by_resource_[r];
    for (size_t i = 0; i < order.size(); ++i) {
      const auto [amount, index] = order[i];
      for (const size_t row : all[index].rows) rows.set(row);
      if (i + 1 < order.size() && order[i + 1].first == amount) continue;
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
