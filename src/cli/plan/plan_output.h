// The output of `tenon plan`: the decision as a document (JSON, YAML) or as a table for people. Pure.
// plan_table.cc defines the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "cli/plan/plan_edit.h"
#include "cli/plan/plan_input.h"
#include "disruption/disruption.h"
#include "scheduling/bound/lower_bound.h"
#include "scheduling/input/solution.h"

namespace tenon::cli {

struct PlanResult {
  bool disrupt = false;
  PlanInput input;
  scheduling::Solution solution;  // of provision mode
  scheduling::Bound lower_bound;
  disruption::Pass pass;             // of disrupt mode
  std::vector<DriftedNode> drifted;  // by the edit, if one was given
};

// Returns the document. Prices are marked strings in it; only the renderers below write them as numbers.
boost::json::value plan_document(const PlanResult& result);
// Parts of the document: a planned node; the reasons of an unschedulable pod; a move; a price.
boost::json::value planned_node_document(const scheduling::PlannedNode& node);
boost::json::value unschedulable_detail(const scheduling::Unschedulable& why);
boost::json::value move_document(const disruption::Move& move);
boost::json::value price_value(model::Price price);
// Returns the price of 730 hours.
model::Price month_price(model::Price per_hour);
// Render the document as text, with prices as plain decimals (doubles would need an exponent or lose digits).
std::string render_plan_json(const boost::json::value& document);
std::string render_plan_yaml(const boost::json::value& document);
std::string render_plan_table(const PlanResult& result);

}  // namespace tenon::cli
