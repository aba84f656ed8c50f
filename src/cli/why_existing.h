// `tenon why node/NAME` of a node that is there: what keeps it, or the move that it is part of, and what it costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/plan_output.h"
#include "console/reasons.h"

namespace tenon::cli {

struct NodeAnswer {
  console::Branch tree;
  boost::json::object document;
};

// `plan` is of disrupt mode, made with `options`; the node is one of its input's.
NodeAnswer why_existing(const PlanResult& plan, const scheduling::SolveOptions& options,
                        const scheduling::NodeView& node);

}  // namespace tenon::cli
