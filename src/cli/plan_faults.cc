// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_faults.h"

#include "disruption/budgets.h"
#include "disruption/worth.h"
#include "json/json.h"
#include "model/labels.h"

namespace tenon::cli {
namespace {

using json::value;

bool malformed_duration(const value* field) {
  if (!field || !field->is_string()) return false;  // another type is an error of its own
  const std::string_view text = field->get_string();
  return text != "Never" && !parse_go_duration(text);
}

std::string shown(const value& field) { return "\"" + std::string(field.get_string()) + "\""; }

}  // namespace

Document without_malformed_durations(const Document& pool, std::vector<std::string>& warnings) {
  value object = *pool.object;
  value* disruption = json::find(object, {"spec", "disruption"});
  if (!disruption || !disruption->is_object()) return pool;
  const size_t before = warnings.size();
  const auto warn = [&](const std::string& path, const value& field, const std::string& effect) {
    warnings.push_back(pool.place("spec.disruption." + path + ": must be a duration such as 1h30m, not " +
                                  shown(field) + "; " + effect));
  };
  if (value* after = json::find(*disruption, {"consolidateAfter"}); malformed_duration(after)) {
    warn("consolidateAfter", *after, "the NodePool is not consolidated");
    *after = "Never";
  }
  value* budgets = json::find(*disruption, {"budgets"});
  if (budgets && budgets->is_array()) {
    size_t number = 0;
    for (value& budget : budgets->get_array()) {
      const std::string path = "budgets[" + std::to_string(number++) + "].duration";
      const value* duration = json::find(std::as_const(budget), {"duration"});
      if (!malformed_duration(duration)) continue;
      warn(path, *duration, "the budget allows no disruption");
      budget = json::object{{"nodes", "0"}};
    }
  }
  if (warnings.size() == before) return pool;
  Document mended = pool;
  mended.object = std::make_shared<const value>(std::move(object));
  return mended;
}

std::vector<std::string> disruption_warnings(const scheduling::Snapshot& snapshot) {
  std::vector<std::string> out;
  for (const auto& view : snapshot.pools) {
    const std::string problem = disruption::budget_problem(*view.pool);
    if (!problem.empty()) out.push_back("NodePool " + view.pool->meta.name + ": " + problem + "; no node may go");
    for (std::string& text : disruption::annotation_problems(*view.pool)) out.push_back(std::move(text));
  }
  for (const auto& node : snapshot.nodes) {
    for (const auto& pod : node.pods) {
      const std::string_view text = model::lookup(pod->meta.annotations, model::kAnnotationDoNotDisrupt);
      const auto span = parse_go_duration(text);
      if (text.empty() || text == "true" || text == "false" || (span && *span > Duration(0))) continue;
      out.push_back("pod " + pod->key() + ": annotation " + std::string(model::kAnnotationDoNotDisrupt) + ": \"" +
                    std::string(text) + "\" is neither true nor a duration such as 1h30m; it is ignored");
    }
  }
  return out;
}

}  // namespace tenon::cli
