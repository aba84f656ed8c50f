// Formats and compares objects and amounts of a life-cycle scenario. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "kubesim/api.h"

namespace tenon::scenarios {

// '*' matches any text.
bool matches(std::string_view pattern, std::string_view text);

// Returns the object with `conditions` ("True Launched", "False Why: message") by type and `taints` ("key:effect" →
// value) in place of the lists.
boost::json::value view_of(const boost::json::value& object);

// `wanted` is a number, or a text ">=3" or "<=3".
bool is_amount(const boost::json::value& wanted, double actual);

// Returns the sum of a metric's series with these labels, from Prometheus text: `name{a="b"}`. `series`: their number.
double sum_of(const std::string& text, std::string_view selector, int& series);

// Returns the resource of a kind, and the namespace in which its objects are looked up.
struct Kind {
  kubesim::Resource resource;
  std::string ns;
};
Result<Kind> kind_named(std::string_view name);

}  // namespace tenon::scenarios
