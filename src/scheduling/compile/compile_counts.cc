// The domains of topology rules, the running pods that each rule counts, and the rules that concern each class of pods.
//
// A domain is one value of a node label, such as a zone. A spread allows a pod in a domain if the domain's count with
// the pod is at most maxSkew above the minimum over all domains. So a domain without pods matters as well: it counts if
// the spread considers a node there, or if a node can be launched there. Example: counts a: 3, b: 2, maxSkew 1. The
// next pod goes to b. If a node can be launched in c, the minimum is 0, and the pod goes to c.
//
// Cost: running pods are compared only with the rules that require one of their labels, or no label; domains take
// groups × pools × values.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "scheduling/compile/compile_groups.h"
#include "scheduling/compile/parts.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {
namespace {

bool filter_accepts(const NodeFilter& filter, const model::StringMap& labels, const std::vector<model::Taint>& taints) {
  if (filter.honor_taints && model::first_untolerated(taints, filter.tolerations)) return false;
  return std::any_of(filter.terms.begin(), filter.terms.end(),
                     [&](const auto& term) { return labels_satisfy(labels, term); });
}

}  // namespace

void GroupCompiler::list_hosts() {
  const std::vector<NodeView>& views = problem_.snapshot->nodes;
  hosts_.assign(views.size(), kNone);
  for (size_t i = 0; i < problem_.nodes.size(); ++i)
    hosts_[static_cast<size_t>(problem_.nodes[i].view - views.data())] = static_cast<int>(i);
}

// Looks each label of a node up once: with many nodes, each lookup misses the processor caches.
void GroupCompiler::list_domains() {
  const std::vector<NodeView>& views = problem_.snapshot->nodes;
  const size_t keys = problem_.keys.size();
  std::vector<const std::string*> labels(keys > 1 ? views.size() * keys : 0, nullptr);
  for (size_t v = 0; v < views.size() && keys > 1; ++v) {
    const model::StringMap& all = hosts_[v] == kNone ? views[v].labels() : *problem_.nodes[host(v)].labels;
    for (size_t k = 1; k < keys; ++k) {
      const auto at = all.find(problem_.keys[k].name);
      if (at != all.end()) labels[v * keys + k] = &at->second;
    }
  }
  domains_.assign(views.size() * keys, kNone);
  for (size_t k = 1; k < keys; ++k) {
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
    for (size_t v = 0; v < views.size(); ++v) {
      if (const std::string* value = labels[v * keys + k]) values.insert(*value);
    }
    for (const std::string& value : values) key.id(value);
    for (size_t v = 0; v < views.size(); ++v) {
      if (const std::string* value = labels[v * keys + k]) domains_[v * keys + k] = key.find(*value);
    }
  }
  for (size_t v = 0; v < views.size(); ++v) {
    if (hosts_[v] == kNone) continue;
    const auto begin = domains_.begin() + static_cast<std::ptrdiff_t>(v * keys);
    problem_.nodes[host(v)].domains.assign(begin, begin + static_cast<std::ptrdiff_t>(keys));
  }
}

void GroupCompiler::resolve_filter(NodeFilter& filter) {
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
    if (filter_accepts(filter, *problem_.nodes[n].labels, problem_.nodes[n].taints)) filter.nodes.set(n);
  }
}

// Lists the rows that can be launched for some pod to place. No node of this plan is launched as another row.
void GroupCompiler::list_reach() {
  for (const PoolProblem& pool : problem_.pools) reach_.emplace_back(pool.rows.size());
  for (const PodClass& c : problem_.classes) {
    for (const Form& form : c.forms) {
      for (const Variant& variant : *form.variants) {
        for (size_t p = 0; p < reach_.size(); ++p) reach_[p] |= variant.rows[p];
      }
    }
  }
}

std::vector<size_t> domains_in_reach(const Problem& problem, const Group& group, const std::vector<RowSet>& reach) {
  const TopologyKey& key = problem.keys[static_cast<size_t>(group.key)];
  const NodeFilter& filter = problem.filters[group.filter];
  const auto wanted = [&](const std::string& value) {
    return std::any_of(filter.own.begin(), filter.own.end(),
                       [&](const model::Requirements& term) { return term.get(key.name).allows(value); });
  };
  std::vector<size_t> domains;
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    const PoolProblem& pool = problem.pools[p];
    const KeyInPool& in = pool.keys[static_cast<size_t>(group.key)];
    RowSet rows = filter.rows[p];
    rows &= reach[p];
    for (size_t d = 0; d < key.values.size() && rows.any(); ++d) {
      const std::string& value = key.values[d];
      if (!wanted(value)) continue;
      const bool reached = in.of_type
                               ? in.rows[d] != nullptr && rows.intersects(*in.rows[d])
                               : pool.requirements.has(key.name) && pool.requirements.get(key.name).allows(value);
      if (reached) domains.push_back(d);
    }
  }
  return domains;
}

// Finds the domains that count for the minimum: those of nodes that the spread considers, and those that its pods allow
// and where this plan can launch a node.
void GroupCompiler::find_eligible(Group& group) {
  const TopologyKey& key = problem_.keys[static_cast<size_t>(group.key)];
  const NodeFilter& filter = problem_.filters[group.filter];
  group.eligible.assign(key.values.size(), 0);
  if (group.key == kHostKey) return;
  // Questions about removal candidates come later and name the pods that need a new node.
  if (problem_.removable.empty()) {
    for (const size_t domain : domains_in_reach(problem_, group, reach_)) ++group.eligible[domain];
  }
  for (size_t n = filter.nodes.first(); n != RowSet::kNone; n = filter.nodes.next(n)) {
    const int domain = problem_.nodes[n].domains[static_cast<size_t>(group.key)];
    if (domain != kNone) ++group.eligible[static_cast<size_t>(domain)];
  }
  for (const NodeView* view : bare_nodes_) {
    const auto& labels = view->labels();
    const int domain = key.find(std::string(model::lookup(labels, key.name)));
    if (domain != kNone && filter_accepts(filter, labels, view->taints()))
      ++group.eligible[static_cast<size_t>(domain)];
  }
}

void GroupCompiler::list_bare_nodes() {
  const SolveOptions& options = problem_.options;
  std::set<std::string_view> names(options.closed_nodes.begin(), options.closed_nodes.end());
  if (options.gone_nodes_are_domains) names.insert(options.removed_nodes.begin(), options.removed_nodes.end());
  if (names.empty()) return;
  for (const NodeView& view : problem_.snapshot->nodes) {
    if (names.contains(view.name())) bare_nodes_.push_back(&view);
  }
}

void GroupCompiler::list_index() {
  for (size_t g = 0; g < problem_.groups.size(); ++g) {
    const PodMatcher& m = problem_.groups[g].matchers.front();
    if (!m.selector) continue;  // selects no pod
    if (m.selector->match_labels.empty()) {
      index_.others.push_back(g);
    } else {
      index_.by_label[*m.selector->match_labels.begin()].push_back(g);
    }
  }
  for (const auto& [label, groups] : index_.by_label)
    index_.by_hash.emplace_back(NodePods::label_hash(label.first, label.second), &groups);
}

// Visits every pair of a group and a pod of the node that the group counts. Terminal pods and pods that are being
// deleted do not count. If there are few groups, it looks pods up by the groups' labels and reads no others.
template <class Visit>
void GroupCompiler::each_match(const NodePods& pods, Visit visit) const {
  const auto live = [](const model::Pod& pod) { return !pod.terminal() && !pod.meta.deleting(); };
  if (!index_.others.empty() || index_.by_label.size() > pods.size()) {
    for (const PodPtr& pod : pods) {
      if (live(*pod)) each_match(pod->meta, visit);
    }
    return;
  }
  for (const auto& [label, groups] : index_.by_hash) {
    for (const uint32_t i : pods.maybe_with_label(label)) {
      for (const size_t g : *groups) {
        if (live(*pods[i]) && problem_.groups[g].matches(pods[i]->meta)) visit(g);
      }
    }
  }
}

// Visits every group that counts such a pod.
template <class Visit>
void GroupCompiler::each_match(const model::ObjectMeta& pod, Visit visit) const {
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

// Counts the running pods. Terminating pods and all pods of SolveOptions::removed_nodes do not count.
void GroupCompiler::count_running() {
  for (Group& group : problem_.groups) {
    group.counts.assign(problem_.keys[static_cast<size_t>(group.key)].values.size(), 0);
    group.owners = group.counts;
  }
  if (problem_.groups.empty()) return;
  const auto& without = problem_.options.removed_nodes;
  const std::unordered_set<std::string_view> gone(without.begin(), without.end());
  const std::vector<NodeView>& views = problem_.snapshot->nodes;
  for (size_t v = 0; v < views.size(); ++v) {
    const NodeView& node = views[v];
    if (node.pods.empty() || (!gone.empty() && gone.contains(node.name()))) continue;
    NodeProblem* const known = hosts_[v] == kNone ? nullptr : &problem_.nodes[host(v)];
    std::map<size_t, HostCount> here, around;
    const auto count = [&](size_t g, int matched, int owners) {
      Group& group = problem_.groups[g];
      if (group.kind == GroupKind::kSpread) {
        const NodeFilter& filter = problem_.filters[group.filter];
        if (!(known ? filter.nodes.test(host(v)) : filter_accepts(filter, node.labels(), node.taints()))) return;
      }
      if (group.key == kHostKey) {
        group.total += matched;
        HostCount& sum = here.try_emplace(g, HostCount{g, 0, 0}).first->second;
        sum.matched += matched;
        sum.owners += owners;
        return;
      }
      const int domain = domain_of(v, group.key);
      if (domain == kNone) return;  // without the label nothing is counted
      group.total += matched;
      group.counts[static_cast<size_t>(domain)] += matched;
      group.owners[static_cast<size_t>(domain)] += owners;
      if (!known || !known->removable) return;
      HostCount& sum = around.try_emplace(g, HostCount{g, 0, 0}).first->second;
      sum.matched += matched;
      sum.owners += owners;
    };
    each_match(node.pods, [&](size_t g) { count(g, 1, 0); });
    if (!running_owners_.empty()) {
      for (const PodPtr& pod : node.pods.totals().apart) {
        const auto owned = running_owners_.find(pod.get());
        if (owned == running_owners_.end()) continue;
        for (const size_t g : owned->second) count(g, 0, 1);
      }
    }
    if (!known) continue;
    for (const auto& [g, sum] : here) known->host.push_back(sum);
    for (const auto& [g, sum] : around) known->counted.push_back(sum);
  }
}

void GroupCompiler::connect() {
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

void GroupCompiler::index_keys(PoolProblem& pool) {
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

}  // namespace tenon::scheduling
