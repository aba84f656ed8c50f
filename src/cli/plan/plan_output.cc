// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_output.h"

#include <algorithm>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/common.h"

namespace tenon::cli {
namespace {

using json::array;
using json::object;
using json::value;
namespace codec = kube::codec;

constexpr int64_t kHoursPerMonth = 730;
// No name or text in a plan can start with this control character.
constexpr std::string_view kPriceMark = "\x01";
constexpr std::string_view kQuotedPriceMark = "\"\\u0001";  // as both writers escape it

value price(model::Price p) { return value(std::string(kPriceMark) + model::format_usd(p)); }

std::string with_plain_prices(std::string text) {
  std::string out;
  out.reserve(text.size());
  size_t from = 0;
  while (true) {
    const size_t mark = text.find(kQuotedPriceMark, from);
    if (mark == std::string::npos) break;
    const size_t number = mark + kQuotedPriceMark.size();
    const size_t end = text.find('"', number);
    out.append(text, from, mark - from).append(text, number, end - number);
    from = end + 1;
  }
  return out.append(text, from);
}

value strings(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return codec::write_strings(names);
}

value string_map(const std::map<std::string, std::string>& map) {
  object out;
  for (const auto& [key, text] : map) out[key] = text;
  return out;
}

value pods_by_node(const std::map<std::string, std::vector<std::string>>& nodes) {
  object out;
  for (const auto& [node, pods] : nodes) out[node] = strings(pods);
  return out;
}

value launch_of(const scheduling::Launch& launch) {
  object out{{"instanceType", launch.instance_type},
             {"zone", launch.zone},
             {"capacityType", launch.capacity_type},
             {"pricePerHour", price(launch.price)}};
  if (!launch.zone_id.empty()) out["zoneID"] = launch.zone_id;
  if (!launch.reservation_id.empty()) out["reservationID"] = launch.reservation_id;
  return out;
}

value why_of(const scheduling::PlannedNode& node) {
  array runners_up;
  for (const scheduling::RunnerUp& other : node.runners_up) {
    runners_up.push_back({{"instanceType", other.instance_type},
                          {"pricePerHour", price(other.price)},
                          {"excludedBy", other.constraint + ": " + other.detail}});
  }
  return object{{"typesPossible", node.instance_types.size()}, {"runnersUp", std::move(runners_up)}};
}

// Returns how many pods of each CapacityBuffer this node reserves capacity for.
object buffers_on(const BufferStates& buffers, const std::string& node) {
  object out;
  for (const auto& [name, state] : buffers) {
    if (const auto at = state.on_new.find(node); at != state.on_new.end()) out[name] = at->second;
  }
  return out;
}

std::string_view method_of(disruption::Method method) {
  switch (method) {
    case disruption::Method::kEmptiness: return "emptiness";
    case disruption::Method::kDrift: return "drift";
    case disruption::Method::kStaticDrift: return "static-drift";
    case disruption::Method::kMultiNodeConsolidation:
    case disruption::Method::kSingleNodeConsolidation: return "consolidation";
  }
  return "";
}

value moves(const PlanResult& result) {
  array out;
  for (const disruption::Move& move : result.pass.moves) out.push_back(move_document(move));
  return out;
}

value blocked(const PlanResult& result) {
  const scheduling::Snapshot& snapshot = result.input.snapshot;
  object out;
  for (const auto& [name, kept] : result.pass.kept) {
    object entry{{"reason", kept.reason}, {"message", kept.message}, {"object", kept.object}};
    if (const auto* view = snapshot.node(name))
      entry["costPerMonth"] = price(month_price(disruption::price_of_instance(snapshot, *view)));
    out[name] = std::move(entry);
  }
  return out;
}

value buffers(const PlanInput& input) {
  object out;
  for (const auto& [name, state] : input.buffers) {
    object on_existing;
    for (const auto& [node, count] : state.on_existing) on_existing[node] = count;
    object entry{{"pods", state.pods},
                 {"failed", state.failed},
                 {"existingNodes", std::move(on_existing)},
                 {"conditions", codec::write_conditions(state.conditions(input.snapshot.now))}};
    if (!state.why_failed.empty()) entry["reason"] = state.why_failed;
    out[name] = std::move(entry);
  }
  return out;
}

// Returns each NodePool's limits, and how much of them its nodes (including planned ones) use.
value limits(const PlanResult& result) {
  const scheduling::Snapshot& snapshot = result.input.snapshot;
  object out;
  for (const auto& pool : snapshot.pools) {
    if (!pool.pool->limits) continue;
    model::Resources used;
    for (const auto& view : snapshot.nodes) {
      if (view.pool() == pool.pool->meta.name && !view.deleting()) used += view.capacity();
    }
    for (const auto& node : result.solution.new_nodes) {
      if (node.pool != pool.pool->meta.name) continue;
      used.add("nodes", 1);
      const auto type = std::find_if(pool.types->begin(), pool.types->end(),
                                     [&](const auto& t) { return t.name == node.launch.instance_type; });
      if (type != pool.types->end()) used += type->capacity;
    }
    object of_pool;
    for (const auto& [name, amount] : pool.pool->limits->entries()) {
      of_pool[name] = {{"used", model::format_amount(name, used.get(name))},
                       {"limit", model::format_amount(name, amount)}};
    }
    out[pool.pool->meta.name] = std::move(of_pool);
  }
  return out;
}

value totals(const PlanResult& result) {
  size_t nodes = 0, on_new = 0, on_existing = 0;
  model::Price sum{};
  const auto count = [&](const scheduling::PlannedNode& node) {
    ++nodes;
    on_new += node.pods.size();
    sum += node.launch.price;
  };
  for (const auto& node : result.solution.new_nodes) count(node);
  for (const auto& [name, pods] : result.solution.existing) on_existing += pods.size();
  for (const auto& move : result.pass.moves) {
    for (const auto& node : move.replacements) count(node);
  }
  return object{{"newNodes", nodes},
                {"pricePerHour", price(sum)},
                {"lowerBoundPerHour", price(result.lower_bound.price)},
                {"podsOnNew", on_new},
                {"podsOnExisting", on_existing},
                {"unschedulable", result.solution.unschedulable.size() + result.input.unplannable.size()}};
}

}  // namespace

value planned_node_document(const scheduling::PlannedNode& node) {
  object out{{"id", node.id},
             {"nodePool", node.pool},
             {"pods", strings(node.pods)},
             {"requests", codec::write_resources(node.requests)},
             {"requirements", codec::write_requirements(node.requirements.to_specs())},
             {"labels", codec::write_string_map(*node.labels)},
             {"taints", codec::write_taints(node.taints)},
             {"startupTaints", codec::write_taints(node.startup_taints)},
             {"instanceTypes", codec::write_strings(node.instance_types)},
             {"launch", launch_of(node.launch)},
             {"why", why_of(node)}};
  if (!node.relaxed->empty()) out["relaxed"] = codec::write_strings(*node.relaxed);
  if (node.min_values_relaxed) out["minValuesRelaxed"] = true;
  return out;
}

value unschedulable_detail(const scheduling::Unschedulable& why) {
  array reasons;
  for (const scheduling::Reason& r : why.reasons) {
    object reason{{"nodePool", r.subject}, {"constraint", r.constraint}, {"detail", r.detail}};
    if (!r.field.empty()) reason["field"] = r.field;
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

value price_value(model::Price p) { return price(p); }

model::Price month_price(model::Price per_hour) { return per_hour * kHoursPerMonth; }

value move_document(const disruption::Move& move) {
  array replacements;
  for (const auto& node : move.replacements) replacements.push_back(planned_node_document(node));
  // Exact thousandths: only the price writer prints exact decimals.
  const model::Price cost(move.disruption_cost_milli * (model::kPicoPerUsd / 1000));
  object out{{"id", move.id},
             {"reason", move.reason},
             {"method", method_of(move.method)},
             {"nodes", strings(move.nodes)},
             {"replacements", std::move(replacements)},
             {"podsToExistingNodes", pods_by_node(move.pods_to_existing)},
             {"savingsPerHour", price(move.savings)},
             {"disruptionCost", price(cost)},
             {"startsAfter", array()}};  // all moves of a pass may start now
  if (!move.approved.empty()) out["approved"] = string_map(move.approved);
  return out;
}

value plan_document(const PlanResult& result) {
  array new_nodes;
  for (const auto& node : result.solution.new_nodes) {
    value entry = planned_node_document(node);
    if (object held = buffers_on(result.input.buffers, node.id); !held.empty())
      entry.get_object()["buffers"] = std::move(held);
    new_nodes.push_back(std::move(entry));
  }
  std::map<std::string, std::string> unschedulable = result.input.unplannable;
  object detail;
  for (const auto& [pod, why] : result.solution.unschedulable) {
    unschedulable[pod] = why.message;
    if (!why.reasons.empty()) detail[pod] = unschedulable_detail(why);
  }
  object out{{"kind", "Plan"},
             {"version", 1},
             {"mode", result.disrupt ? "disrupt" : "provision"},
             {"totals", totals(result)},
             {"newNodes", std::move(new_nodes)},
             {"existingNodes", pods_by_node(result.solution.existing)},
             {"unschedulable", string_map(unschedulable)},
             {"ignored", string_map(result.input.ignored)},
             {"nodePoolsNotReady", string_map(result.input.pools_not_ready)},
             {"disruption", moves(result)}};
  if (!detail.empty()) out["unschedulableDetail"] = std::move(detail);
  if (value l = limits(result); !l.get_object().empty()) out["limits"] = std::move(l);
  if (!result.input.overlays_refused.empty()) out["nodeOverlaysNotReady"] = string_map(result.input.overlays_refused);
  if (!result.input.buffers.empty()) out["capacityBuffers"] = buffers(result.input);
  if (result.disrupt) out["blocked"] = blocked(result);
  array drifted;
  for (const DriftedNode& d : result.drifted) {
    object entry{{"node", d.node}, {"reason", d.reason}};
    if (!d.field.empty()) entry["field"] = d.field;
    drifted.push_back(std::move(entry));
  }
  if (!drifted.empty()) out["drifted"] = std::move(drifted);
  return out;
}

std::string render_plan_json(const value& document) { return with_plain_prices(json::to_pretty(document)); }
std::string render_plan_yaml(const value& document) { return with_plain_prices(json::to_yaml(document)); }

}  // namespace tenon::cli
