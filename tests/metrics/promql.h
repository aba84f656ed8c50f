// Lists the metrics and labels that a PromQL expression names, for the queries of dashboards and rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::metrics_tests {

struct Names {
  std::vector<std::pair<std::string, std::set<std::string>>> selectors;  // a metric and the labels of its matchers
  std::set<std::string> grouping;                                        // labels in by, without, on, group_left, …
  std::vector<std::string> unknown;                                      // words that are no function or keyword
};

// A word that is followed by a parenthesis is a function, by a brace or anything else a metric, unless it is a keyword.
Names names_in(std::string_view expression);

}  // namespace tenon::metrics_tests
