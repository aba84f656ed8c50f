// TypeIndex: facts about a list of instance types that every solve needs: the labels that they define, the usable types
// by name, what each of them can allocate, and the order of their offerings. Computed once per list, in place of once
// per solve. Immutable; keeps the list alive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/instance_type.h"

namespace tenon::scheduling {

struct TypeIndex {
  using Types = std::shared_ptr<const std::vector<model::InstanceType>>;
  explicit TypeIndex(Types of);

  Types types;
  std::vector<std::string> keys;                   // labels that types or offerings define, sorted
  std::vector<std::string> multi_keys;             // those with several values on some type, sorted
  std::vector<const model::InstanceType*> usable;  // by name, each once, without those that have a problem
  std::vector<std::string> resources;              // that usable types can allocate, sorted
  std::vector<int64_t> allocatable;                // by usable type, then resource; 0: the type has none
  // rank: the place of each offering in the order of price, type, zone, capacity type and reservation. It lists usable
  // types one after the other; first_offering: the index in `rank` of a type's first offering.
  std::vector<uint32_t> rank, first_offering;
};

}  // namespace tenon::scheduling
