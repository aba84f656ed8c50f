// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_faults.h"

#include <charconv>
#include <limits>

#include "disruption/budgets.h"
#include "disruption/required_savings.h"
#include "json/json.h"
#include "model/labels.h"

namespace tenon::cli {
namespace {

using json::value;

bool malformed_duration(const value* field) {
  if (!field || !field->is_string()) return false;  // another type is a separate error
  const std::string_view text = field->get_string();
  return text != "Never" && !parse_go_duration(text);
}

bool number_or_percentage(const value& field) {
  if (field.is_int64()) return field.get_int64() >= 0 && field.get_int64() <= std::numeric_limits<int32_t>::max();
  if (!field.is_string()) return false;
  std::string_view text = field.get_string();
  if (!text.ends_with('%')) return false;
  text.remove_suffix(1);
  int percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  return error == std::errc() && end == text.data() + text.size() && text.front() != '-' && percent <= 100;
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

Status check_disruption_budget(const Document& budget) {
  const auto refuse = [&](const std::string& why) {
    const std::string ns(json::string_at(*budget.object, {"metadata", "namespace"}));
    const std::string key =
        (ns.empty() ? "default" : ns) + "/" + std::string(json::string_at(*budget.object, {"metadata", "name"}));
    return fail(Code::kInvalid, budget.place("PodDisruptionBudget " + key + ": " + why));
  };
  int given = 0;
  for (const char* field : {"minAvailable", "maxUnavailable"}) {
    const value* amount = json::find(*budget.object, {"spec", field});
    if (!amount || amount->is_null()) continue;
    ++given;
    if (!number_or_percentage(*amount)) {
      return refuse("spec." + std::string(field) + ": must be a number of pods or a percentage such as 50%, not " +
                    json::to_string(*amount));
    }
  }
  if (given > 1) return refuse("spec: minAvailable and maxUnavailable exclude each other");
  return ok();
}

std::vector<std::string> disruption_warnings(const scheduling::Snapshot& snapshot) {
  std::vector<std::string> out;
  for (const auto& view : snapshot.pools) {
    const std::string problem = disruption::budget_problem(*view.pool);
    if (!problem.empty())
      out.push_back("NodePool " + view.pool->meta.name + ": " + problem + "; its nodes are not disrupted");
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
