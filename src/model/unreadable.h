// The mark of an object that was decoded only in part: a condition of a type of ours, which no API server has and which
// is never written. Whatever such an object touches is not disrupted, and no controller acts on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "model/meta.h"

namespace tenon::model {

inline constexpr std::string_view kUnreadable = "tenon.dev/Unreadable";
// Its reason where it is not even known on which Node a Pod runs.
inline constexpr std::string_view kNodeUnknown = "NodeUnknown";

// What is wrong with the object; empty if it was read in full.
template <class Object>
std::string_view unreadable(const Object& object) {
  const Condition* mark = find_condition(object.conditions, kUnreadable);
  return mark ? std::string_view(mark->message) : std::string_view();
}

// The object can be read in full now, and could not or was not known before.
template <class Object>
bool newly_readable(const std::shared_ptr<const Object>& before, const std::shared_ptr<const Object>& after) {
  return after && unreadable(*after).empty() && (!before || !unreadable(*before).empty());
}

}  // namespace tenon::model
