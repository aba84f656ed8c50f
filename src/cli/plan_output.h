// What `tenon plan` prints: the decision as a document (JSON, YAML) or as a table for people. Nothing here decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "cli/plan_edit.h"
#include "cli/plan_input.h"
#include "disruption/disruption.h"
#include "scheduling/solver.h"

namespace tenon::cli {

struct PlanResult {
  bool disrupt = false;
  PlanInput input;
  scheduling::Solution solution;  // of provision mode
  scheduling::Bound lower_bound;
  disruption::Pass pass;             // of disrupt mode
  std::vector<DriftedNode> drifted;  // by the edit, if one was given
};

// Every price stands in it as a marked string; only the renderers below write it as a number.
boost::json::value plan_document(const PlanResult& result);
// Parts of it: a node to buy; what binds a pod that cannot be placed; a move; a price.
boost::json::value planned_node_document(const scheduling::PlannedNode& node);
boost::json::value unschedulable_detail(const scheduling::Unschedulable& why);
boost::json::value move_document(const disruption::Move& move);
boost::json::value price_value(model::Price price);
// Of 730 hours.
model::Price month_price(model::Price per_hour);
// The document's text, with prices as plain decimals (doubles would need an exponent or lose digits).
std::string render_plan_json(const boost::json::value& document);
std::string render_plan_yaml(const boost::json::value& document);
std::string render_plan_table(const PlanResult& result);

}  // namespace tenon::cli
