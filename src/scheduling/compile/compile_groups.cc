// Lists the topology rules of the pods to place, and the required anti-affinity of running pods that selects such pods.
// Equal rules become one Group, identified by kind, topology key, skew, minDomains, node filter and selectors: 500 pods
// of a Deployment with one spread make one group.
//
// Cost: classes × forms × their rules, and the terms of running pods with anti-affinity; each distinct term of these is
// compared with all classes once.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/compile/compile_groups.h"

#include <algorithm>

#include "model/labels.h"
#include "scheduling/compile/parts.h"
#include "scheduling/compile/preferences.h"

namespace tenon::scheduling {
namespace {

std::string text_of(const model::LabelSelector& selector) {
  std::string text;
  for (const auto& [key, value] : selector.match_labels) text += key + "=" + value + ",";
  for (const auto& e : selector.match_expressions) {
    text += e.key + " " + std::string(to_string(e.op));
    for (const auto& value : e.values) text += " " + value;
    text += ",";
  }
  return text;
}

std::string text_of(const PodMatcher& matcher) {
  std::string text = matcher.selector ? "{" + text_of(*matcher.selector) + "}" : "none";
  for (const auto& ns : matcher.namespaces) text += "/" + ns;
  return text + (matcher.all_namespaces ? "/*" : "");
}

// Adds the pod's own values of these labels to the selector. Merging them twice is harmless.
void merge_keys(model::LabelSelector& selector, const std::vector<std::string>& keys, model::Operator op,
                const model::StringMap& labels) {
  for (const std::string& key : keys) {
    const auto at = labels.find(key);
    if (at != labels.end()) selector.match_expressions.push_back({key, op, {at->second}, std::nullopt});
  }
}

}  // namespace

GroupCompiler::GroupCompiler(Problem& problem) : problem_(problem) {
  problem_.keys.resize(1);
  problem_.keys[0].name = model::kLabelHostname;
}

int GroupCompiler::key_index(const std::string& name) {
  const std::string canonical(model::canonical_label(name));
  for (size_t i = 0; i < problem_.keys.size(); ++i) {
    if (problem_.keys[i].name == canonical) return static_cast<int>(i);
  }
  problem_.keys.push_back({canonical, {}, {}});
  return static_cast<int>(problem_.keys.size() - 1);
}

PodMatcher GroupCompiler::matcher(const model::PodAffinityTerm& term, const model::Pod& pod) const {
  PodMatcher m;
  m.selector = term.selector;
  if (m.selector) {
    merge_keys(*m.selector, term.match_label_keys, model::Operator::kIn, pod.meta.labels);
    merge_keys(*m.selector, term.mismatch_label_keys, model::Operator::kNotIn, pod.meta.labels);
  }
  m.namespaces.insert(term.namespaces.begin(), term.namespaces.end());
  if (term.namespace_selector) {
    m.all_namespaces = term.namespace_selector->empty();
    for (const auto& [name, labels] : problem_.snapshot->namespace_labels) {
      if (term.namespace_selector->matches(labels)) m.namespaces.insert(name);
    }
  } else if (term.namespaces.empty()) {
    m.namespaces.insert(pod.meta.ns);
  }
  return m;
}

size_t GroupCompiler::intern(Group group) {
  std::string identity = std::to_string(static_cast<int>(group.kind)) + "|" + std::to_string(group.key) + "|" +
                         std::to_string(group.max_skew) + "|" + std::to_string(group.min_domains) + "|" +
                         std::to_string(group.filter) + (group.soft ? "|soft" : "");
  for (const PodMatcher& m : group.matchers) identity += "|" + text_of(m);
  const auto [at, fresh] = known_.emplace(identity, problem_.groups.size());
  if (fresh) problem_.groups.push_back(std::move(group));
  return at->second;
}

void GroupCompiler::add_spread(const model::SpreadConstraint& spread, const model::Pod& pod, Owned owner) {
  Group group;
  group.kind = GroupKind::kSpread;
  group.key = key_index(spread.topology_key);
  group.max_skew = spread.max_skew;
  group.min_domains = spread.min_domains.value_or(0);
  group.soft = spread.schedule_anyway;
  PodMatcher m;
  m.selector = spread.selector;
  if (m.selector) merge_keys(*m.selector, spread.match_label_keys, model::Operator::kIn, pod.meta.labels);
  m.namespaces.insert(pod.meta.ns);
  group.matchers.push_back(std::move(m));
  NodeFilter filter;
  // Preferences do not limit the nodes on which the spread counts pods.
  if (auto terms = daemon_terms(pod)) filter.own = std::move(*terms);
  if (spread.honor_node_affinity) filter.terms = filter.own;
  if (filter.terms.empty()) filter.terms.emplace_back();
  filter.honor_taints = spread.honor_node_taints;
  if (filter.honor_taints) filter.tolerations = pod.spec->tolerations;
  group.filter = intern_filter(std::move(filter));
  owner.group = intern(std::move(group));
  owned_.push_back(owner);
}

size_t GroupCompiler::intern_filter(NodeFilter filter) {
  std::string identity;
  for (const auto* terms : {&filter.terms, &filter.own}) {
    for (const auto& term : *terms) {
      for (const auto& [key, r] : term.by_key()) identity += r.to_string() + ",";
      identity += "or ";
    }
    identity += "; ";
  }
  for (const auto& t : filter.tolerations) identity += t.key + t.op + t.value + t.effect + ",";
  if (filter.honor_taints) identity += "taints";
  const auto [at, fresh] = known_filters_.emplace(std::move(identity), problem_.filters.size());
  if (fresh) problem_.filters.push_back(std::move(filter));
  return at->second;
}

void GroupCompiler::add_terms(const std::vector<model::PodAffinityTerm>& terms, GroupKind kind, const model::Pod& pod,
                              Owned owner) {
  std::vector<PodMatcher> all;
  for (const auto& term : terms) all.push_back(matcher(term, pod));
  for (size_t i = 0; i < terms.size(); ++i) {
    Group group;
    group.kind = kind;
    group.key = key_index(terms[i].topology_key);
    if (kind == GroupKind::kAffinity) {
      group.matchers = all;
    } else {
      group.matchers = {all[i]};
    }
    owner.group = intern(std::move(group));
    owned_.push_back(owner);
  }
}

void GroupCompiler::rules_of(size_t pod_class, size_t form, const RelaxedPod& stage) {
  const Owned owner{pod_class, form, 0};
  const model::Affinity& a = stage.pod->spec->affinity;
  for (const auto& spread : stage.pod->spec->spread) add_spread(spread, *stage.pod, owner);
  add_terms(a.required_pods, GroupKind::kAffinity, *stage.pod, owner);
  add_terms(a.required_anti_pods, GroupKind::kAntiAffinity, *stage.pod, owner);
  for (const auto& weighted : a.preferred_pods) add_terms({weighted.term}, GroupKind::kAffinity, *stage.pod, owner);
  for (const auto& weighted : a.preferred_anti_pods) {
    add_terms({weighted.term}, GroupKind::kPreferredAntiAffinity, *stage.pod, owner);
  }
}

void GroupCompiler::rules_of_running() {
  std::map<std::string, int> known_terms;  // → the group; −1 if it selects no pod to place
  for (const NodeView& node : problem_.snapshot->nodes) {
    for (const PodPtr& pod : node.pods.totals().apart) {
      if (pod->terminal() || pod->meta.deleting()) continue;
      for (const auto& term : pod->spec->affinity.required_anti_pods) {
        PodMatcher m = matcher(term, *pod);
        const auto [at, fresh] = known_terms.try_emplace(term.topology_key + "|" + text_of(m), -1);
        const bool concerns = fresh && std::any_of(problem_.classes.begin(), problem_.classes.end(),
                                                   [&](const PodClass& c) { return m.matches(c.sample->meta); });
        if (concerns) {
          Group group;
          group.kind = GroupKind::kAntiAffinity;
          group.key = key_index(term.topology_key);
          group.matchers = {std::move(m)};
          at->second = static_cast<int>(intern(std::move(group)));
        }
        if (at->second >= 0) running_owners_[pod.get()].push_back(static_cast<size_t>(at->second));
      }
    }
  }
}

void GroupCompiler::run() {
  intern_filter({.terms = {model::Requirements{}}, .own = {model::Requirements{}}});
  for (size_t ci = 0; ci < problem_.classes.size(); ++ci) {
    const PodClass& c = problem_.classes[ci];
    if (!c.problem.empty()) continue;
    const PodPtr& sample = problem_.pods[c.pods.front()].pod;
    const auto stages = relaxations(sample, problem_.options.preferences, problem_.soft_taints);
    for (size_t fi = 0; fi < stages.size(); ++fi) rules_of(ci, fi, stages[fi]);
  }
  rules_of_running();
  list_hosts();
  list_domains();
  for (PoolProblem& pool : problem_.pools) index_keys(pool);
  for (NodeFilter& filter : problem_.filters) resolve_filter(filter);
  list_reach();
  list_bare_nodes();
  for (Group& group : problem_.groups) find_eligible(group);
  list_index();
  count_running();
  connect();
}

void compile_groups(Problem& problem) { GroupCompiler(problem).run(); }

}  // namespace tenon::scheduling
