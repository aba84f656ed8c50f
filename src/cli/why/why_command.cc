// SPDX-License-Identifier: Apache-2.0
#include "cli/why/why_command.h"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "base/text.h"
#include "cli/plan/plan_command.h"
#include "cli/plan/plan_output.h"
#include "cli/why/why_existing.h"
#include "console/reasons.h"
#include "json/json.h"
#include "scheduling/input/solution.h"

namespace tenon::cli {
namespace {

using console::Branch;
using json::object;

struct Answer {
  Branch tree;
  object document;
};

template <class Map>
const typename Map::mapped_type* find(const Map& map, const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

const scheduling::PlannedNode* planned_node(const scheduling::Solution& solution, const auto& wanted) {
  const auto at = std::find_if(solution.new_nodes.begin(), solution.new_nodes.end(), wanted);
  return at == solution.new_nodes.end() ? nullptr : &*at;
}

// Returns why the plan does not concern the pod; std::nullopt if it does.
std::optional<std::string> aside(const PlanInput& input, const std::string& pod) {
  if (const std::string* why = find(input.unplannable, pod)) return "cannot be planned: " + *why;
  if (const std::string* why = find(input.ignored, pod)) return "is not placed by the autoscaler: " + *why;
  for (const auto& view : input.snapshot.nodes) {
    const auto here = [&](const auto& p) { return p->key() == pod; };
    if (std::any_of(view.pods.begin(), view.pods.end(), here)) return "already runs on node " + view.name();
  }
  return std::nullopt;
}

Result<Answer> why_pod(const PlanResult& plan, const std::string& pod) {
  const scheduling::Solution& solution = plan.solution;
  Answer answer;
  answer.document = {{"kind", "Why"}, {"pod", pod}};
  const auto* relaxed_entry = find(solution.relaxed, pod);
  const std::vector<std::string> relaxed = relaxed_entry ? **relaxed_entry : std::vector<std::string>{};
  const auto holds = [&](const auto& pods) { return std::find(pods.begin(), pods.end(), pod) != pods.end(); };
  if (const auto* why = find(solution.unschedulable, pod)) {
    answer.tree = console::why_unplaced(pod, *why);
    answer.document["verdict"] = "unschedulable";
    answer.document["message"] = why->message;
    answer.document["detail"] = unschedulable_detail(*why);
    return answer;
  }
  if (const auto* node = planned_node(solution, [&](const auto& n) { return holds(n.pods); })) {
    answer.tree = console::why_placed(pod, *node, relaxed);
    answer.document["verdict"] = "new node";
    answer.document["node"] = planned_node_document(*node);
  } else if (const auto at = std::find_if(solution.existing.begin(), solution.existing.end(),
                                          [&](const auto& e) { return holds(e.second); });
             at != solution.existing.end()) {
    answer.tree = console::why_placed(pod, at->first, relaxed);
    answer.document["verdict"] = "existing node";
    answer.document["node"] = at->first;
  } else if (const auto why = aside(plan.input, pod)) {
    answer.tree = {"pod/" + pod + " " + *why};
    answer.document["verdict"] = "not planned";
    answer.document["message"] = *why;
  } else {
    return fail(Code::kNotFound, "pod " + pod + " is not in the input or has completed");
  }
  if (!relaxed.empty()) answer.document["relaxed"] = json::array(relaxed.begin(), relaxed.end());
  return answer;
}

Result<Answer> why_node(const WhyOptions& options, const PlanResult& plan, const std::string& name) {
  if (const auto* node = planned_node(plan.solution, [&](const auto& n) { return n.id == name; })) {
    return Answer{console::why_node(*node), {{"kind", "Why"}, {"node", planned_node_document(*node)}}};
  }
  const auto here = [&](const auto& view) {
    return view.name() == name || (view.claim && view.claim->meta.name == name);
  };
  const auto& before = plan.input.snapshot.nodes;
  if (std::any_of(before.begin(), before.end(), here)) {
    PlanOptions disrupt = options.plan;
    disrupt.mode = "disrupt";
    std::ostringstream ignored_output;
    const Decision decision = TRY(decide_plan(disrupt, ignored_output));
    const auto& nodes = decision.result.input.snapshot.nodes;
    NodeAnswer found = why_existing(decision.result, decision.solve, *std::find_if(nodes.begin(), nodes.end(), here));
    return Answer{std::move(found.tree), std::move(found.document)};
  }
  std::string known;
  for (const auto& node : plan.solution.new_nodes) known += (known.empty() ? "" : ", ") + node.id;
  return fail(Code::kNotFound, "no node " + name + "; the plan would launch " + (known.empty() ? "none" : known));
}

// Returns the kind, and the name, which includes the namespace for a pod.
std::pair<std::string, std::string> parse_subject(const std::string& subject) {
  const auto [kind, name] = cut(subject, '/');
  if (name.empty() || (kind != "pod" && kind != "node")) return {};
  const bool plain = name.find('/') == std::string_view::npos;
  return {std::string(kind), (kind == "pod" && plain ? "default/" : "") + std::string(name)};
}

Result<Answer> answer(const WhyOptions& options, const std::string& kind, const std::string& name, std::ostream& err) {
  const PlanResult plan = TRY(explained_plan(options.plan, err));
  return kind == "pod" ? why_pod(plan, name) : why_node(options, plan, name);
}

}  // namespace

int run_why(const WhyOptions& options, std::ostream& out, std::ostream& err) {
  const auto [kind, name] = parse_subject(options.subject);
  if (kind.empty()) {
    err << "tenon why: \"" << options.subject << "\" is neither pod/NAMESPACE/NAME nor node/NAME\n";
    return kExitUsage;
  }
  Result<Answer> result = answer(options, kind, name, err);
  if (!result) {
    err << "tenon why: " << result.error().message << "\n";
    return kExitError;
  }
  if (options.plan.output == "json") {
    out << render_plan_json(json::value(std::move(result->document)));
  } else {
    out << console::render_tree(result->tree);
  }
  return kExitDone;
}

}  // namespace tenon::cli
