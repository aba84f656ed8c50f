// TypeIndex: facts about a list of instance types that every solve needs: the labels that they define, and the usable
// types by name. Computed once per list, in place of once per solve. Immutable; keeps the list alive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
};

}  // namespace tenon::scheduling
