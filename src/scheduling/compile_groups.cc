// Topology rules of the pods to place, and of running pods against them, with the pods each rule counts so far.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
  // Groups by one label that they ask of a pod, so that not every group is compared with every pod.
  struct Index {
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> by_label;
    std::vector<size_t> others;
  };

  int key_index(const std::string& name);
  PodMatcher matcher(const model::PodAffinityTerm& term, const model::Pod& pod) const;
  void add_spread(const model::SpreadConstraint& spread, const model::Pod& pod, Owned owner);
  void add_terms(const std::vector<model::PodAffinityTerm>& terms, GroupKind kind, const model::Pod& pod, Owned owner);
  size_t intern(Group group);
  size_t intern_filter(NodeFilter filter);
  void rules_of(size_t pod_class, size_t form, const RelaxedPod& stage);
  void rules_of_running();
  void list_domains();
  void look(NodeFilter& filter);
  void list_reach();
  void find_eligible(Group& group);
  void list_index();
  template <class Visit>
  void each_match(const model::ObjectMeta& pod, Visit visit) const;
  void count_running();
  void connect();
  void index_keys(PoolProblem& pool);

  Problem& problem_;
  std::unordered_set<std::string> solved_;
  std::map<std::string, size_t> known_, known_filters_;
  std::vector<Owned> owned_;  // by class, then form
  Index index_;
  std::vector<RowSet> reach_;                                                  // by pool
  std::unordered_map<const model::Pod*, std::vector<size_t>> running_owners_;  // pods that run → their groups
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

bool looks_at(const NodeFilter& filter, const model::StringMap& labels, const std::vector<model::Taint>& taints) {
  if (filter.honor_taints && model::first_untolerated(taints, filter.tolerations)) return false;
  return std::any_of(filter.terms.begin(), filter.terms.end(),
                     [&](const auto& term) { return labels_satisfy(labels, term); });
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
                         std::to_string(group.filter) + (group.soft ? "|soft" : "");
  for (const PodMatcher& m : group.matchers) identity += "|" + text_of(m);
  const auto [at, fresh] = known_.emplace(identity, problem_.groups.size());
  if (fresh) problem_.groups.push_back(std::move(group));
  return at->second;
}

void Compiler::add_spread(const model::SpreadConstraint& spread, const model::Pod& pod, Owned owner) {
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
  // What a pod merely prefers does not bound where its kin are counted.
  if (auto terms = daemon_terms(pod)) filter.own = std::move(*terms);
  if (spread.honor_node_affinity) filter.terms = filter.own;
  if (filter.terms.empty()) filter.terms.emplace_back();
  filter.honor_taints = spread.honor_node_taints;
  if (filter.honor_taints) filter.tolerations = pod.tolerations;
  group.filter = intern_filter(std::move(filter));
  owner.group = intern(std::move(group));
  owned_.push_back(owner);
}

size_t Compiler::intern_filter(NodeFilter filter) {
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
  const model::Affinity& a = stage.pod->affinity;
  for (const auto& spread : stage.pod->spread) add_spread(spread, *stage.pod, owner);
  add_terms(a.required_pods, GroupKind::kAffinity, *stage.pod, owner);
  add_terms(a.required_anti_pods, GroupKind::kAntiAffinity, *stage.pod, owner);
  for (const auto& weighted : a.preferred_pods) add_terms({weighted.term}, GroupKind::kAffinity, *stage.pod, owner);
  for (const auto& weighted : a.preferred_anti_pods) {
    add_terms({weighted.term}, GroupKind::kPreferredAntiAffinity, *stage.pod, owner);
  }
}

void Compiler::rules_of_running() {
  std::map<std::string, int> known_terms;  // → the group; −1 if it concerns no pod that is to be placed
  for (const NodeView& node : problem_.snapshot->nodes) {
    for (const PodPtr& pod : node.pods) {
      if (pod->affinity.required_anti_pods.empty() || pod->terminal() || pod->meta.deleting()) continue;
      if (solved_.contains(pod->key())) continue;
      for (const auto& term : pod->affinity.required_anti_pods) {
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

void Compiler::look(NodeFilter& filter) {
  for (const PoolProblem& pool : problem_.pools) {
    RowSet rows(pool.rows.size()), one;
    const auto& taints = pool.pool->node_template.taints;
    const bool stands = !filter.honor_taints || !model::first_untolerated(taints, filter.tolerations);
    for (const model::Requirements& term : filter.terms) {
      if (stands && pool.rows_for(term, one)) rows |= one;
    }
    filter.rows.push_back(std::move(rows));
  }
  for (size_t n = 0; n < problem_.nodes.size(); ++n) {
    if (looks_at(filter, problem_.nodes[n].labels, problem_.nodes[n].taints)) filter.nodes.set(n);
  }
}

// The rows that some pod to place could be bought for: where none can go, no node will be.
void Compiler::list_reach() {
  for (const PoolProblem& pool : problem_.pools) reach_.emplace_back(pool.rows.size());
  for (const PodClass& c : problem_.classes) {
    for (const Form& form : c.forms) {
      for (const Variant& variant : form.variants) {
        for (size_t p = 0; p < reach_.size(); ++p) reach_[p] |= variant.rows[p];
      }
    }
  }
}

// Domains that count for the minimum: those of nodes that the spread looks at, and those where its pods want to be and
// a node of this plan may stand.
void Compiler::find_eligible(Group& group) {
  const TopologyKey& key = problem_.keys[static_cast<size_t>(group.key)];
  const NodeFilter& filter = problem_.filters[group.filter];
  group.eligible.assign(key.values.size(), 0);
  if (group.key == kHostKey) return;
  const auto wanted = [&](const std::string& value) {
    return std::any_of(filter.own.begin(), filter.own.end(),
                       [&](const model::Requirements& term) { return term.get(key.name).allows(value); });
  };
  for (size_t p = 0; p < problem_.pools.size(); ++p) {
    const PoolProblem& pool = problem_.pools[p];
    RowSet rows = filter.rows[p];
    rows &= reach_[p];
    for (size_t d = 0; d < key.values.size() && rows.any(); ++d) {
      const std::string& value = key.values[d];
      if (!wanted(value)) continue;
      if (pool.is_type_key(key.name)) {
        const RowSet* in = pool.rows_in(key.name, value);
        if (in != nullptr && rows.intersects(*in)) group.eligible[d] = 1;
      } else if (pool.requirements.has(key.name) && pool.requirements.get(key.name).allows(value)) {
        group.eligible[d] = 1;
      }
    }
  }
  for (size_t n = filter.nodes.first(); n != RowSet::kNone; n = filter.nodes.next(n)) {
    const int domain = problem_.nodes[n].domains[static_cast<size_t>(group.key)];
    if (domain != kNone) group.eligible[static_cast<size_t>(domain)] = 1;
  }
  const std::set<std::string_view> closed(problem_.options.closed_nodes.begin(), problem_.options.closed_nodes.end());
  if (closed.empty()) return;
  for (const NodeView& view : problem_.snapshot->nodes) {  // nodes that take no pods now are domains all the same
    if (!closed.contains(view.name())) continue;
    const auto labels = view.labels();
    const int domain = key.find(std::string(model::lookup(labels, key.name)));
    if (domain != kNone && looks_at(filter, labels, view.taints())) group.eligible[static_cast<size_t>(domain)] = 1;
  }
}

void Compiler::list_index() {
  for (size_t g = 0; g < problem_.groups.size(); ++g) {
    const PodMatcher& m = problem_.groups[g].matchers.front();
    if (!m.selector) continue;  // selects no pod
    if (m.selector->match_labels.empty()) {
      index_.others.push_back(g);
    } else {
      index_.by_label[*m.selector->match_labels.begin()].push_back(g);
    }
  }
}

// Every group that counts such a pod.
template <class Visit>
void Compiler::each_match(const model::ObjectMeta& pod, Visit visit) const {
  const auto check = [&](const std::vector<size_t>& groups) {
    for (const size_t g : groups) {
      if (problem_.groups[g].matches(pod)) visit(g);
    }
  };
  check(index_.others);
  if (index_.by_label.empty()) return;
  for (const auto& label : pod.labels) {
    const auto at = index_.by_label.find(label);
    if (at != index_.by_label.end()) check(at->second);
  }
}

// Pods that run and are not being placed now. Terminating ones count no more.
void Compiler::count_running() {
  for (Group& group : problem_.groups) {
    group.counts.assign(problem_.keys[static_cast<size_t>(group.key)].values.size(), 0);
    group.owners = group.counts;
  }
  if (problem_.groups.empty()) return;
  std::map<std::string_view, size_t> node_index;
  for (size_t i = 0; i < problem_.nodes.size(); ++i) node_index[problem_.nodes[i].name] = i;
  const auto& gone = problem_.options.without_nodes;
  for (const NodeView& node : problem_.snapshot->nodes) {
    if (node.pods.empty() || std::find(gone.begin(), gone.end(), node.name()) != gone.end()) continue;
    const model::StringMap labels = node.labels();
    const auto taints = node.taints();
    const auto host = node_index.find(node.name());
    std::vector<char> looked(problem_.filters.size(), 0);  // 0: not yet, 1: yes, 2: no
    std::map<size_t, HostCount> here;
    const auto count = [&](size_t g, int matched, int owners) {
      Group& group = problem_.groups[g];
      if (group.kind == GroupKind::kSpread) {
        char& answer = looked[group.filter];
        if (answer == 0) answer = looks_at(problem_.filters[group.filter], labels, taints) ? 1 : 2;
        if (answer == 2) return;
      }
      if (group.key == kHostKey) {
        group.total += matched;
        HostCount& sum = here.try_emplace(g, HostCount{g, 0, 0}).first->second;
        sum.matched += matched;
        sum.owners += owners;
        return;
      }
      const TopologyKey& key = problem_.keys[static_cast<size_t>(group.key)];
      const auto at = labels.find(key.name);
      const int domain = at == labels.end() ? kNone : key.find(at->second);
      if (domain == kNone) return;  // where the label is missing nothing is counted
      group.total += matched;
      group.counts[static_cast<size_t>(domain)] += matched;
      group.owners[static_cast<size_t>(domain)] += owners;
    };
    for (const PodPtr& pod : node.pods) {
      if (pod->terminal() || pod->meta.deleting() || solved_.contains(pod->key())) continue;
      each_match(pod->meta, [&](size_t g) { count(g, 1, 0); });
      const auto owned = running_owners_.find(pod.get());
      if (owned == running_owners_.end()) continue;
      for (const size_t g : owned->second) count(g, 0, 1);
    }
    if (host == node_index.end()) continue;
    for (const auto& [g, sum] : here) problem_.nodes[host->second].host.push_back(sum);
  }
}

void Compiler::connect() {
  size_t next = 0;  // in owned_
  for (size_t ci = 0; ci < problem_.classes.size(); ++ci) {
    PodClass& c = problem_.classes[ci];
    std::vector<size_t> matched;
    each_match(c.sample->meta, [&](size_t g) { matched.push_back(g); });
    for (size_t fi = 0; fi < c.forms.size(); ++fi) {
      std::map<size_t, GroupUse> uses;
      for (const size_t g : matched) uses[g] = {g, false, true};
      for (; next < owned_.size() && owned_[next].pod_class == ci && owned_[next].form == fi; ++next) {
        GroupUse& use = uses.try_emplace(owned_[next].group, GroupUse{owned_[next].group, false, false}).first->second;
        use.owned = true;
      }
      for (const auto& [g, use] : uses) {
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

void Compiler::index_keys(PoolProblem& pool) {
  for (const TopologyKey& key : problem_.keys) {
    KeyInPool in;
    in.defined = pool.defines(key.name);
    in.of_type = pool.is_type_key(key.name);
    in.open = pool.loose.has(key.name) || pool.multi_valued(key.name);
    const model::Requirement r = pool.requirements.get(key.name);
    if (!r.complement() && r.values().size() == 1) in.settled = key.find(*r.values().begin());
    for (const std::string& value : key.values) in.rows.push_back(pool.rows_in(key.name, value));
    pool.keys.push_back(std::move(in));
  }
}

void Compiler::run() {
  intern_filter({.terms = {model::Requirements{}}, .own = {model::Requirements{}}});
  for (size_t ci = 0; ci < problem_.classes.size(); ++ci) {
    const PodClass& c = problem_.classes[ci];
    if (!c.problem.empty()) continue;
    const PodPtr& sample = problem_.pods[c.pods.front()].pod;
    const auto stages = relaxations(sample, problem_.options.preferences, problem_.soft_taints);
    for (size_t fi = 0; fi < stages.size(); ++fi) rules_of(ci, fi, stages[fi]);
  }
  rules_of_running();
  list_domains();
  for (NodeFilter& filter : problem_.filters) look(filter);
  list_reach();
  for (Group& group : problem_.groups) find_eligible(group);
  list_index();
  count_running();
  connect();
  for (PoolProblem& pool : problem_.pools) index_keys(pool);
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
