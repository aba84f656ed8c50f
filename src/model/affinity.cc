// SPDX-License-Identifier: Apache-2.0
#include "model/affinity.h"

#include <algorithm>

namespace tenon::model {
namespace {

// As in apimachinery's selectors, NotIn and DoesNotExist match objects without the label.
bool holds(const RequirementSpec& spec, const StringMap& labels) {
  const auto at = labels.find(spec.key);
  const bool present = at != labels.end();
  const bool listed = present && std::find(spec.values.begin(), spec.values.end(), at->second) != spec.values.end();
  switch (spec.op) {
    case Operator::kIn: return listed;
    case Operator::kNotIn: return !listed;
    case Operator::kExists: return present;
    case Operator::kDoesNotExist: return !present;
    default: return false;  // Gt, Lt, Gte and Lte are for nodes only
  }
}

}  // namespace

bool LabelSelector::matches(const StringMap& labels) const {
  for (const auto& [key, value] : match_labels) {
    const auto at = labels.find(key);
    if (at == labels.end() || at->second != value) return false;
  }
  return std::all_of(match_expressions.begin(), match_expressions.end(),
                     [&](const RequirementSpec& spec) { return holds(spec, labels); });
}

}  // namespace tenon::model
