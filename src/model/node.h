// A Node. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/meta.h"
#include "model/resources.h"
#include "model/taint.h"

namespace tenon::model {

struct Node {
  ObjectMeta meta;
  std::string provider_id;
  bool unschedulable = false;
  std::vector<Taint> taints;
  Resources capacity, allocatable;
  std::vector<Condition> conditions;
  bool ready() const { return condition_is(conditions, "Ready", "True"); }
  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace tenon::model
