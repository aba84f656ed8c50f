// `tenon why node/NAME` for an existing node: what keeps it, or the move that removes it, and what it costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/plan/plan_output.h"
#include "console/reasons.h"
#include "scheduling/input/solve_options.h"

namespace tenon::cli {

struct NodeAnswer {
  console::Branch tree;
  boost::json::object document;
};

// `plan` is of disrupt mode, made with `options`; the node belongs to its input.
NodeAnswer why_existing(const PlanResult& plan, const scheduling::SolveOptions& options,
                        const scheduling::NodeView& node);

}  // namespace tenon::cli
