// Topology rules of the pods to place, and of running pods against them, with the pods each rule counts so far.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/problem.h"

namespace tenon::scheduling {
namespace {

class Compiler {
 public:
  explicit Compiler(Problem& problem) : problem_(problem) {
    problem_.keys.resize(1);
    problem_.keys[0].name = model::kLabelHostname;
    for (const PodProblem& pod : problem_.pods) solved_.insert(pod.pod->key());
  }

  void run();

 private:
  struct Owned {
    size_t pod_class, form, group;
  };

  int key_index(const std::string& name);
  PodMatcher matcher(const model::PodAffinityTerm& term, const model::Pod& pod) const;
  void add_spread(const model::SpreadConstraint& spread, const model::Pod& pod, Owned owner);
  void add_terms(const std::vector<model::PodAffinityTerm>& terms, GroupKind kind, const model::Pod& pod, Owned owner);
  size_t intern(Group group);
  void rules_of(size_t pod_class, size_t form, const RelaxedPod& stage);
  void rules_of_running();
  void list_domains();
  void find_eligible(Group& group, const std::vector<model::Requirements>& filter, bool honor_taints,
                     const std::vector<model::Toleration>& tolerations);
  void count_running(Group& group);
  void connect();

  Problem& problem_;
  std::set<std::string> solved_;
  std::map<std::string, size_t> known_;
  std::vector<Owned> owned_;
  struct Filter {
    std::vector<model::Requirements> terms;
    bool honor_taints = false;
    std::vector<model::Toleration> tolerations;
  };
  std::map<size_t, Filter> filters_;  // of spread groups
  std::map<size_t, std::set<std::string>> running_owners_;  // of anti-affinity groups: keys of running pods
};

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

// The pod's own values of these labels become part of the selector; merging twice does no harm.
void merge_keys(model::LabelSelector& selector, const std::vector<std::string>& keys, model::Operator op,
                const model::StringMap& labels) {
  for (const std::string& key : keys) {
    const auto at = labels.find(key);
    if (at != labels.end()) selector.match_expressions.push_back({key, op, {at->second}, std::nullopt});
  }
}

int Compiler::key_index(const std::string& name) {
  const std::string canonical(model::canonical_label(name));
  for (size_t i = 0; i < problem_.keys.size(); ++i) {
    if (problem_.keys[i].name == canonical) return static_cast<int>(i);
  }
  problem_.keys.push_back({canonical, {}, {}});
  return static_cast<int>(problem_.keys.size() - 1);
}

PodMatcher Compiler::matcher(const model::PodAffinityTerm& term, const model::Pod& pod) const {
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

size_t Compiler::intern(Group group) {
  std::string identity = std::to_string(static_cast<int>(group.kind)) + "|" + std::to_string(group.key) + "|" +
                         std::to_string(group.max_skew) + "|" + std::to_string(group.min_domains) + "|" +
                         group.identity;
  for (const PodMatcher& m : group.matchers) identity += "|" + text_of(m);
  const auto [at, fresh] = known_.emplace(identity, problem_.groups.size());
  if (fresh) {
    group.identity = std::move(identity);
    problem_.groups.push_back(std::move(group));
  }
  return at->second;
}

void Compiler::add_spread(const model::SpreadConstraint& spread, const model::Pod& pod, Owned owner) {
  Group group;
  group.kind = GroupKind::kSpread;
  group.key = key_index(spread.topology_key);
  group.max_skew = spread.max_skew;
  group.min_domains = spread.min_domains.value_or(0);
  PodMatcher m;
  m.selector = spread.selector;
  if (m.selector) merge_keys(*m.selector, spread.match_label_keys, model::Operator::kIn, pod.meta.labels);
  m.namespaces.insert(pod.meta.ns);
  group.matchers.push_back(std::move(m));
  Filter filter;
  const auto terms = node_terms(pod);
  if (spread.honor_node_affinity && terms) filter.terms = *terms;
  if (filter.terms.empty()) filter.terms.emplace_back();
  filter.honor_taints = spread.honor_node_taints;
  if (filter.honor_taints) filter.tolerations = pod.tolerations;
  for (const auto& term : filter.terms) {
    for (const auto& [key, r] : term.by_key()) group.identity += r.to_string() + ",";
    group.identity += "or ";
  }
  for (const auto& t : filter.tolerations) group.identity += t.key + t.op + t.value + t.effect + ",";
  if (filter.honor_taints) group.identity += "taints";
  owner.group = intern(std::move(group));
  filters_.emplace(owner.group, std::move(filter));
  owned_.push_back(owner);
}

void Compiler::add_terms(const std::vector<model::PodAffinityTerm>& terms, GroupKind kind, const model::Pod& pod,
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

void Compiler::rules_of(size_t pod_class, size_t form, const RelaxedPod& stage) {
  const Owned owner{pod_class, form, 0};
  const model::Affinity& a = stage.pod.affinity;
  for (const auto& spread : stage.pod.spread) add_spread(spread, stage.pod, owner);
  add_terms(a.required_pods, GroupKind::kAffinity, stage.pod, owner);
  add_terms(a.required_anti_pods, GroupKind::kAntiAffinity, stage.pod, owner);
  for (const auto& weighted : a.preferred_pods) add_terms({weighted.term}, GroupKind::kAffinity, stage.pod, owner);
  for (const auto& weighted : a.preferred_anti_pods) {
    add_terms({weighted.term}, GroupKind::kPreferredAntiAffinity, stage.pod, owner);
  }
}

void Compiler::rules_of_running() {
  for (const NodeView& node : problem_.snapshot->nodes) {
    for (const PodPtr& pod : node.pods) {
      if (pod->affinity.required_anti_pods.empty() || pod->terminal() || pod->meta.deleting()) continue;
      if (solved_.contains(pod->key())) continue;
      for (const auto& term : pod->affinity.required_anti_pods) {
        Group group;
        group.kind = GroupKind::kAntiAffinity;
        group.key = key_index(term.topology_key);
        group.matchers = {matcher(term, *pod)};
        const bool concerns = std::any_of(problem_.classes.begin(), problem_.classes.end(),
                                          [&](const PodClass& c) { return group.matches(c.sample->meta); });
        if (concerns) running_owners_[intern(std::move(group))].insert(pod->key());
      }
    }
  }
}

void Compiler::list_domains() {
  for (size_t k = 1; k < problem_.keys.size(); ++k) {
    TopologyKey& key = problem_.keys[k];
    std::set<std::string> values;
    for (const PoolProblem& pool : problem_.pools) {
      if (pool.is_type_key(key.name)) {
        for (const auto& [value, rows] : pool.rows_by_value(key.name)) values.insert(value);
      } else if (pool.requirements.has(key.name)) {
        const auto& r = pool.requirements.get(key.name);
        if (!r.complement()) values.insert(r.values().begin(), r.values().end());
      }
    }
    for (const NodeView& node : problem_.snapshot->nodes) {
      const auto labels = node.labels();
      if (const auto at = labels.find(key.name); at != labels.end()) values.insert(at->second);
    }
    for (const std::string& value : values) key.id(value);
  }
  for (NodeProblem& node : problem_.nodes) {
    for (const TopologyKey& key : problem_.keys) {
      const auto at = node.labels.find(key.name);
      node.domains.push_back(at == node.labels.end() ? kNone : key.find(at->second));
    }
  }
}

void Compiler::find_eligible(Group& group, const std::vector<model::Requirements>& filter, bool honor_taints,
                             const std::vector<model::Toleration>& tolerations) {
  const TopologyKey& key = problem_.keys[static_cast<size_t>(group.key)];
  group.eligible.assign(key.values.size(), 0);
  for (const PoolProblem& pool : problem_.pools) {
    RowSet rows(pool.rows.size()), one;
    const bool stands = !honor_taints || !model::first_untolerated(pool.pool->node_template.taints, tolerations);
    for (const model::Requirements& term : filter) {
      if (stands && pool.rows_for(term, one)) rows |= one;
    }
    for (size_t d = 0; d < key.values.size() && rows.any(); ++d) {
      const std::string& value = key.values[d];
      if (pool.is_type_key(key.name)) {
        const RowSet* in = pool.rows_in(key.name, value);
        if (in != nullptr && rows.intersects(*in)) group.eligible[d] = 1;
      } else if (pool.requirements.has(key.name) && pool.requirements.get(key.name).allows(value)) {
        const auto allows = [&](const model::Requirements& term) { return term.get(key.name).allows(value); };
        if (std::any_of(filter.begin(), filter.end(), allows)) group.eligible[d] = 1;
      }
    }
    group.rows.push_back(std::move(rows));
  }
  const auto looks_at = [&](const model::StringMap& labels, const std::vector<model::Taint>& taints) {
    if (honor_taints && model::first_untolerated(taints, tolerations)) return false;
    return std::any_of(filter.begin(), filter.end(), [&](const auto& term) { return labels_satisfy(labels, term); });
  };
  for (const NodeProblem& node : problem_.nodes) {
    const bool counts = looks_at(node.labels, node.taints);
    group.node_counts.push_back(counts ? 1 : 0);
    const int domain = node.domains[static_cast<size_t>(group.key)];
    if (counts && group.key != kHostKey && domain != kNone) group.eligible[static_cast<size_t>(domain)] = 1;
  }
}

// Pods that run and are not being placed now. Terminating ones count no more.
void Compiler::count_running(Group& group) {
  const size_t index = static_cast<size_t>(&group - problem_.groups.data());
  const TopologyKey& key = problem_.keys[static_cast<size_t>(group.key)];
  const auto filter = filters_.find(index);
  const auto running = running_owners_.find(index);
  group.counts.assign(key.values.size(), 0);
  group.owners.assign(key.values.size(), 0);
  group.host_counts.assign(problem_.nodes.size(), 0);
  group.host_owners.assign(problem_.nodes.size(), 0);
  std::map<std::string, size_t> node_index;
  for (size_t i = 0; i < problem_.nodes.size(); ++i) node_index[problem_.nodes[i].name] = i;
  const auto& gone = problem_.options.without_nodes;
  for (const NodeView& node : problem_.snapshot->nodes) {
    if (std::find(gone.begin(), gone.end(), node.name()) != gone.end()) continue;
    const model::StringMap labels = node.labels();
    if (filter != filters_.end()) {
      const Filter& f = filter->second;
      const auto fits = [&](const auto& term) { return labels_satisfy(labels, term); };
      if (std::none_of(f.terms.begin(), f.terms.end(), fits)) continue;
      if (f.honor_taints && model::first_untolerated(node.taints(), f.tolerations)) continue;
    }
    const auto at = labels.find(key.name);
    const int domain = at == labels.end() ? kNone : key.find(at->second);
    const auto host = node_index.find(node.name());
    for (const PodPtr& pod : node.pods) {
      if (pod->terminal() || pod->meta.deleting() || solved_.contains(pod->key())) continue;
      const int matched = group.matches(pod->meta) ? 1 : 0;
      const int owner = running != running_owners_.end() && running->second.contains(pod->key()) ? 1 : 0;
      group.total += matched;
      if (group.key == kHostKey && host != node_index.end()) {
        group.host_counts[host->second] += matched;
        group.host_owners[host->second] += owner;
      } else if (group.key != kHostKey && domain != kNone) {
        group.counts[static_cast<size_t>(domain)] += matched;
        group.owners[static_cast<size_t>(domain)] += owner;
      }
    }
  }
}

void Compiler::connect() {
  for (size_t ci = 0; ci < problem_.classes.size(); ++ci) {
    PodClass& c = problem_.classes[ci];
    std::vector<char> matched;
    for (const Group& group : problem_.groups) matched.push_back(group.matches(c.sample->meta) ? 1 : 0);
    for (size_t fi = 0; fi < c.forms.size(); ++fi) {
      std::vector<char> owned(problem_.groups.size(), 0);
      for (const Owned& o : owned_) {
        if (o.pod_class == ci && o.form == fi) owned[o.group] = 1;
      }
      for (size_t g = 0; g < problem_.groups.size(); ++g) {
        if (!owned[g] && !matched[g]) continue;
        const GroupUse use{g, owned[g] != 0, matched[g] != 0};
        if (problem_.groups[g].key == kHostKey) {
          c.forms[fi].host_uses.push_back(use);
        } else {
          c.forms[fi].uses.emplace_back(problem_.groups[g].key, use);
        }
      }
      std::stable_sort(c.forms[fi].uses.begin(), c.forms[fi].uses.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    }
  }
}

void Compiler::run() {
  for (size_t ci = 0; ci < problem_.classes.size(); ++ci) {
    const PodClass& c = problem_.classes[ci];
    if (!c.problem.empty()) continue;
    const auto stages = relaxations(*c.sample, problem_.options.preferences, problem_.soft_taints);
    for (size_t fi = 0; fi < stages.size(); ++fi) rules_of(ci, fi, stages[fi]);
  }
  rules_of_running();
  list_domains();
  for (size_t g = 0; g < problem_.groups.size(); ++g) {
    const auto filter = filters_.find(g);
    const Filter none{{model::Requirements{}}, false, {}};
    const Filter& f = filter == filters_.end() ? none : filter->second;
    find_eligible(problem_.groups[g], f.terms, f.honor_taints, f.tolerations);
    count_running(problem_.groups[g]);
  }
  connect();
}

}  // namespace

int TopologyKey::id(const std::string& value) {
  const auto [at, fresh] = ids.emplace(value, static_cast<int>(values.size()));
  if (fresh) values.push_back(value);
  return at->second;
}

int TopologyKey::find(const std::string& value) const {
  const auto at = ids.find(value);
  return at == ids.end() ? kNone : at->second;
}

bool PodMatcher::matches(const model::ObjectMeta& pod) const {
  if (!selector) return false;
  return (all_namespaces || namespaces.contains(pod.ns)) && selector->matches(pod.labels);
}

bool Group::matches(const model::ObjectMeta& pod) const {
  return std::all_of(matchers.begin(), matchers.end(), [&](const PodMatcher& m) { return m.matches(pod); });
}

void compile_groups(Problem& problem) { Compiler(problem).run(); }

}  // namespace tenon::scheduling
