// SPDX-License-Identifier: Apache-2.0
#include "model/meta.h"

#include <algorithm>

namespace tenon::model {

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto at =
      std::find_if(conditions.begin(), conditions.end(), [&](const Condition& c) { return c.type == type; });
  return at == conditions.end() ? nullptr : &*at;
}

bool condition_is(const std::vector<Condition>& conditions, std::string_view type, std::string_view status) {
  const Condition* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status == status;
}

bool set_condition(std::vector<Condition>& conditions, Condition condition) {
  const auto at =
      std::find_if(conditions.begin(), conditions.end(), [&](const Condition& c) { return c.type == condition.type; });
  if (at == conditions.end()) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (at->status == condition.status) condition.last_transition = at->last_transition;
  if (*at == condition) return false;
  *at = std::move(condition);
  return true;
}

}  // namespace tenon::model
