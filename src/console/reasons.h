// Renders the reasons in a plan for people: one line for a table, a tree for `tenon why`. Pure. The texts of single
// constraints come from the solver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduling/input/solution.h"

namespace tenon::console {

struct Branch {
  std::string text;
  std::vector<Branch> under = {};
};
std::string render_tree(const Branch& root);  // lines with box characters, each ended by a newline

// "default: cpu: 20 asked, 3920m is the most any type has; batch: taint batch:NoSchedule is not tolerated"
std::string one_line(const scheduling::Unschedulable& why);

// For each NodePool, the constraints that prevent scheduling.
Branch why_unplaced(const std::string& pod, const scheduling::Unschedulable& why);
// Explains the choice of the planned node: its price, the types that remain possible, the cheaper types that are ruled
// out.
Branch why_node(const scheduling::PlannedNode& node);
// Explains where a pod is scheduled: on the planned `node`, or on the node named `existing`.
Branch why_placed(const std::string& pod, const scheduling::PlannedNode& node, const std::vector<std::string>& relaxed);
Branch why_placed(const std::string& pod, const std::string& existing, const std::vector<std::string>& relaxed);

}  // namespace tenon::console
