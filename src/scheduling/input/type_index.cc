// One pass over types × labels. Types of a catalog mostly have the same label keys as the type before, so keys are
// inserted into the set only where the keys differ; values are always inspected, because one type may have several
// values.
//
//   a {arch: amd64}, b {arch: amd64, tenancy: default or dedicated}  →  keys {arch, tenancy, …}, multi_keys {tenancy}
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/type_index.h"

#include <algorithm>
#include <set>

#include "model/labels.h"
#include "scheduling/input/type_labels.h"

namespace tenon::scheduling {
namespace {

using model::InstanceType;

bool same_keys(const InstanceType& a, const InstanceType& b) {
  return std::equal(a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

void list_keys(TypeIndex& index) {
  const auto offering = offering_keys();
  std::set<std::string> keys(offering.begin(), offering.end()), multi;
  keys.emplace(model::kLabelInstanceType);
  const InstanceType* last = nullptr;  // most types have the label keys of the one before
  for (const InstanceType& type : *index.types) {
    const bool known = last != nullptr && same_keys(*last, type);
    last = &type;
    for (const auto& [key, values] : type.labels) {
      if (!known) keys.insert(key);
      if (values.size() < 2) continue;
      const bool offered = std::find(offering.begin(), offering.end(), key) != offering.end();
      if (!offered) multi.insert(key);
    }
  }
  index.keys.assign(keys.begin(), keys.end());
  index.multi_keys.assign(multi.begin(), multi.end());
}

}  // namespace

TypeIndex::TypeIndex(Types of) : types(std::move(of)) {
  list_keys(*this);
  for (const InstanceType& type : *types) {
    if (type.problem.empty()) usable.push_back(&type);
  }
  std::sort(usable.begin(), usable.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  const auto duplicate = [](const auto* a, const auto* b) { return a->name == b->name; };
  usable.erase(std::unique(usable.begin(), usable.end(), duplicate), usable.end());
}

}  // namespace tenon::scheduling
