// Preferences count as requirements until a pod fits nowhere. Then they are relaxed one by one in this order: preferred
// pod affinity, preferred pod anti-affinity, preferred node affinity (each by weight, highest first), ScheduleAnyway
// spreads, and last the taints with effect PreferNoSchedule. Alternatives of required node affinity need no step, since
// all of them are tried. parity: karpenter preferences.go
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/compile/preferences.h"

#include <algorithm>

#include "scheduling/compile/problem.h"

namespace tenon::scheduling {
namespace {

template <class Terms>
void heaviest_first(Terms& terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
}

std::string describe(const std::vector<model::RequirementSpec>& specs) {
  std::string text;
  for (const model::RequirementSpec& spec : specs) {
    const auto r = model::Requirement::make(spec);
    text += (text.empty() ? "" : ", ") + (r ? r->to_string() : spec.key);
  }
  return text;
}

// Returns the selector combined with each required term.
Result<std::vector<model::Requirements>> required_terms(model::Requirements selector, const model::Affinity& affinity) {
  if (affinity.required_node_terms.empty()) return std::vector{std::move(selector)};
  std::vector<model::Requirements> terms;
  for (const model::NodeSelectorTerm& term : affinity.required_node_terms) {
    model::Requirements all = selector;
    all.add(TRY(model::Requirements::make(term.match_expressions)));
    terms.push_back(std::move(all));
  }
  return terms;
}

// Removes the next preference and returns its description; empty if there is none.
std::string give_up_one(model::PodSpec& spec, bool soft_taints) {
  model::Affinity& a = spec.affinity;
  if (!a.preferred_pods.empty()) {
    const std::string what = "preferred pod affinity by " + a.preferred_pods.front().term.topology_key;
    a.preferred_pods.erase(a.preferred_pods.begin());
    return what;
  }
  if (!a.preferred_anti_pods.empty()) {
    const std::string what = "preferred pod anti-affinity by " + a.preferred_anti_pods.front().term.topology_key;
    a.preferred_anti_pods.erase(a.preferred_anti_pods.begin());
    return what;
  }
  if (!a.preferred_node_terms.empty()) {
    const std::string what =
        "preferred node affinity: " + describe(a.preferred_node_terms.front().term.match_expressions);
    a.preferred_node_terms.erase(a.preferred_node_terms.begin());
    return what;
  }
  const auto soft =
      std::find_if(spec.spread.begin(), spec.spread.end(), [](const auto& s) { return s.schedule_anyway; });
  if (soft != spec.spread.end()) {
    const std::string what = "topology spread by " + soft->topology_key + " (ScheduleAnyway)";
    *soft = spec.spread.back();  // the last one takes its position
    spec.spread.pop_back();
    return what;
  }
  const model::Toleration any{"", "Exists", "", "PreferNoSchedule", std::nullopt};
  if (soft_taints && std::find(spec.tolerations.begin(), spec.tolerations.end(), any) == spec.tolerations.end()) {
    spec.tolerations.push_back(any);
    return "taints with effect PreferNoSchedule";
  }
  return {};
}

bool without_preferences(const model::Pod& pod) {
  const model::Affinity& a = pod.spec->affinity;
  return a.preferred_pods.empty() && a.preferred_anti_pods.empty() && a.preferred_node_terms.empty() &&
         std::none_of(pod.spec->spread.begin(), pod.spec->spread.end(),
                      [](const auto& s) { return s.schedule_anyway; });
}

}  // namespace

std::vector<RelaxedPod> relaxations(const PodPtr& pod, PreferencePolicy policy, bool soft_taints) {
  if (!soft_taints && without_preferences(*pod)) return {{pod, {}}};
  model::Pod left = *pod;
  RelaxedPreferences relaxed;
  model::PodSpec& spec = left.spec.edit();
  model::Affinity& a = spec.affinity;
  if (policy == PreferencePolicy::kIgnore) {
    a.preferred_pods.clear();
    a.preferred_anti_pods.clear();
    a.preferred_node_terms.clear();
    std::erase_if(spec.spread, [](const auto& s) { return s.schedule_anyway; });
  }
  heaviest_first(a.preferred_pods);
  heaviest_first(a.preferred_anti_pods);
  heaviest_first(a.preferred_node_terms);
  const auto stage = [&] { return std::make_shared<model::Pod>(left); };
  std::vector<RelaxedPod> stages{{stage(), {}}};
  for (;;) {
    std::string what = give_up_one(left.spec.edit(), soft_taints);
    if (what.empty()) return stages;
    relaxed.edit().push_back(std::move(what));
    stages.push_back({stage(), relaxed});
  }
}

Result<std::vector<model::Requirements>> daemon_terms(const model::Pod& daemon) {
  model::Requirements selector;
  for (const auto& [key, value] : daemon.spec->node_selector) selector.add(model::Requirement::in(key, {value}));
  return required_terms(std::move(selector), daemon.spec->affinity);
}

Result<std::vector<model::Requirements>> node_terms(const model::Pod& pod) {
  model::Requirements selector;
  for (const auto& [key, value] : pod.spec->node_selector) selector.add(model::Requirement::in(key, {value}));
  if (!pod.spec->affinity.preferred_node_terms.empty()) {
    selector.add(
        TRY(model::Requirements::make(pod.spec->affinity.preferred_node_terms.front().term.match_expressions)));
  }
  return required_terms(std::move(selector), pod.spec->affinity);
}

}  // namespace tenon::scheduling
