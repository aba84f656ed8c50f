// The ConfigMap tenon-freeze, with which an operator stops voluntary disruption, launches, or both. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/meta.h"

namespace tenon::model {

inline constexpr std::string_view kFreezeName = "tenon-freeze";  // in the namespace of the controller

struct Freeze {
  ObjectMeta meta;
  bool disruption = false, launches = false;  // what is stopped
  std::string reason;                         // free text of the operator; may be empty
  std::string fault;  // the first invalid key, and why; empty: none. With a fault both are stopped
  friend bool operator==(const Freeze&, const Freeze&) = default;
};

}  // namespace tenon::model
