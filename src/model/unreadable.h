// The mark of an object that was decoded only in part: a condition of a type of our own, which no API server has and
// which is never written. Nodes that such an object concerns are not disrupted, and no controller acts on the object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "model/meta.h"

namespace tenon::model {

inline constexpr std::string_view kUnreadable = "tenon.dev/Unreadable";
// Its reason if even the Node of a Pod is unknown.
inline constexpr std::string_view kNodeUnknown = "NodeUnknown";

// Returns why the object was not read in full; empty if it was.
template <class Object>
std::string_view unreadable(const Object& object) {
  const Condition* mark = find_condition(object.conditions, kUnreadable);
  return mark ? std::string_view(mark->message) : std::string_view();
}

// Returns whether the object can be read in full now, and was unreadable or absent before.
template <class Object>
bool newly_readable(const std::shared_ptr<const Object>& before, const std::shared_ptr<const Object>& after) {
  return after && unreadable(*after).empty() && (!before || !unreadable(*before).empty());
}

}  // namespace tenon::model
