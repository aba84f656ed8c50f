// The reasons that a plan gives, for people: one line for a table, a tree for `tenon why`. Pure; the words for single
// constraints are the solver's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduling/solver.h"

namespace tenon::console {

struct Branch {
  std::string text;
  std::vector<Branch> under = {};
};
std::string render_tree(const Branch& root);  // lines with box characters, each ended by a newline

// "default: cpu: 20 asked, 3920m is the most any type has; batch: taint batch:NoSchedule is not tolerated"
std::string one_line(const scheduling::Unschedulable& why);

// NodePools → what binds in each.
Branch why_unplaced(const std::string& pod, const scheduling::Unschedulable& why);
// Why the planned node is what it is: its price, the types that stay possible, those that are cheaper and ruled out.
Branch why_node(const scheduling::PlannedNode& node);
// The node that a pod goes to; `existing` names one that is there, otherwise `node` is a planned one.
Branch why_placed(const std::string& pod, const scheduling::PlannedNode& node, const std::vector<std::string>& relaxed);
Branch why_placed(const std::string& pod, const std::string& existing, const std::vector<std::string>& relaxed);

}  // namespace tenon::console
