// SPDX-License-Identifier: Apache-2.0
#include "state/resource_sum.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace tenon::state {

void ResourceSum::add(const model::Resources& one) {
  for (const auto& [name, amount] : one.entries()) {
    Amount& known = amounts_[name];
    known.sum += amount;
    ++known.objects;
  }
}

void ResourceSum::take(const model::Resources& one) {
  for (const auto& [name, amount] : one.entries()) {
    const auto known = amounts_.find(name);
    CHECK(known != amounts_.end(), "takes what was not added");
    known->second.sum -= amount;
    if (--known->second.objects == 0) amounts_.erase(known);
  }
}

model::Resources ResourceSum::total() const {
  model::Resources total;
  for (const auto& [name, amount] : amounts_)
    total.set(name, static_cast<int64_t>(std::clamp<Wide>(amount.sum, INT64_MIN, INT64_MAX)));
  return total;
}

}  // namespace tenon::state
