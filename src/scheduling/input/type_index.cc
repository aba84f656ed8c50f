// One pass over types × labels, and one sort of the offerings. Types of a catalog mostly have the same label keys as
// the type before, so keys are inserted into the set only where the keys differ; values are always inspected, because
// one type may have several values.
//
//   a {arch: amd64}, b {arch: amd64, tenancy: default or dedicated}  →  keys {arch, tenancy, …}, multi_keys {tenancy}
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/type_index.h"

#include <algorithm>
#include <set>
#include <tuple>

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

void list_allocatable(TypeIndex& index) {
  std::vector<model::Resources> all;
  std::set<std::string> names;
  for (const InstanceType* type : index.usable) {
    all.push_back(type->allocatable());
    for (const auto& [name, amount] : all.back().entries()) names.insert(name);
  }
  index.resources.assign(names.begin(), names.end());
  index.allocatable.reserve(all.size() * names.size());
  for (const model::Resources& of_type : all) {
    for (const std::string& name : index.resources) index.allocatable.push_back(of_type.get(name));
  }
}

void rank_offerings(TypeIndex& index) {
  struct Place {
    uint32_t type, offering;
  };
  std::vector<Place> places;
  for (uint32_t t = 0; t < index.usable.size(); ++t) {
    index.first_offering.push_back(static_cast<uint32_t>(places.size()));
    for (uint32_t o = 0; o < index.usable[t]->offerings.size(); ++o) places.push_back({t, o});
  }
  const auto key = [&](const Place& place) {
    const model::Offering& offering = index.usable[place.type]->offerings[place.offering];
    return std::tie(offering.price, place.type, offering.zone, offering.capacity_type, offering.reservation_id,
                    place.offering);
  };
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) { return key(a) < key(b); });
  index.rank.resize(places.size());
  for (uint32_t i = 0; i < places.size(); ++i) {
    index.rank[index.first_offering[places[i].type] + places[i].offering] = i;
  }
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
  list_allocatable(*this);
  rank_offerings(*this);
}

}  // namespace tenon::scheduling
