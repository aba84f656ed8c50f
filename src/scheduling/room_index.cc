// SPDX-License-Identifier: Apache-2.0
#include "scheduling/room_index.h"

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
    auto& steps = by_resource_[r];
    for (size_t i = 0; i < order.size(); ++i) {
      const int64_t amount = (*free[order[i]])[r];
      rows.set(order[i]);
      if (i + 1 == order.size() || (*free[order[i + 1]])[r] != amount) steps.push_back({amount, rows});
    }
    std::reverse(steps.begin(), steps.end());
  }
}

bool RoomIndex::keep(const Amounts& needed, RowSet& rows) const {
  for (size_t r = 0; r < by_resource_.size(); ++r) {
    const auto& steps = by_resource_[r];
    const auto at =
        std::partition_point(steps.begin(), steps.end(), [&](const Step& step) { return step.amount < needed[r]; });
    if (at == steps.end()) return false;
    if (at != steps.begin()) rows &= at->rows;
  }
  return rows.any();
}

}  // namespace tenon::scheduling
