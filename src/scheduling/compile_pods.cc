// Which pods are to be placed, in classes of one shape. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "scheduling/eviction.h"
#include "scheduling/problem.h"

namespace tenon::scheduling {
namespace {

// Pods come by key, as namespace/name would sort.
bool by_key(const PodPtr& a, const PodPtr& b) {
  const std::string &x = a->meta.ns, &y = b->meta.ns;
  const size_t common = std::min(x.size(), y.size());
  if (const int c = x.compare(0, common, y, 0, common); c != 0) return c < 0;
  if (x.size() == y.size()) return a->meta.name < b->meta.name;
  return x.size() < y.size() ? '/' < y[common] : x[common] < '/';
}

bool same_key(const PodPtr& a, const PodPtr& b) { return a->meta.name == b->meta.name && a->meta.ns == b->meta.ns; }

std::vector<PodPtr> wanted(const Problem& problem) {
  std::vector<PodPtr> pods = problem.snapshot->pending;
  const auto& gone = problem.options.without_nodes;
  for (const NodeView& node : problem.snapshot->nodes) {
    if (std::find(gone.begin(), gone.end(), node.name()) == gone.end()) continue;
    std::copy_if(node.pods.begin(), node.pods.end(), std::back_inserter(pods), [&](const PodPtr& pod) {
      return node.deleting() ? leaves_draining_node(*problem.snapshot, *pod) : reschedulable(*pod);
    });
  }
  if (!std::is_sorted(pods.begin(), pods.end(), by_key)) std::stable_sort(pods.begin(), pods.end(), by_key);
  pods.erase(std::unique(pods.begin(), pods.end(), same_key), pods.end());
  return pods;
}

// The labels that some rule looks at; others make no difference between pods.
class SeenLabels {
 public:
  void add(const model::Pod& pod) {
    for (const auto& s : pod.spread) {
      add(s.selector);
      keys_.insert(s.match_label_keys.begin(), s.match_label_keys.end());
    }
    for (const auto& t : pod.affinity.required_pods) add(t);
    for (const auto& t : pod.affinity.required_anti_pods) add(t);
    for (const auto& t : pod.affinity.preferred_pods) add(t.term);
    for (const auto& t : pod.affinity.preferred_anti_pods) add(t.term);
  }
  const std::set<std::string>& keys() const { return keys_; }

 private:
  void add(const model::PodAffinityTerm& term) {
    add(term.selector);
    keys_.insert(term.match_label_keys.begin(), term.match_label_keys.end());
    keys_.insert(term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
  }
  void add(const std::optional<model::LabelSelector>& selector) {
    if (!selector) return;
    for (const auto& [key, value] : selector->match_labels) keys_.insert(key);
    for (const auto& e : selector->match_expressions) keys_.insert(e.key);
  }
  std::set<std::string> keys_;
};

// What the solver sees of a pod, apart from the objects behind its volumes.
struct Shape {
  const model::Pod* pod;
  std::vector<const std::string*> labels;  // by SeenLabels::keys(); null where missing
  std::vector<model::Requirements> volumes;
  std::vector<std::pair<std::string, std::string>> attached;  // (driver, claim; empty: no other pod uses it)
  std::string problem;                                        // of volumes; else the pod's
};

// The claims that more than one pod uses, pending or running: whether such a volume is attached already depends on who
// is there, so pods with different ones are of different shape.
std::set<std::string> shared_claims(const Snapshot& snapshot, const std::vector<PodPtr>& pods) {
  std::set<std::string> shared, seen;
  if (std::all_of(pods.begin(), pods.end(), [](const PodPtr& pod) { return pod->volumes.empty(); })) return shared;
  std::set<std::string> counted;  // by pod key: a pod may be pending and on a node that goes
  const auto count = [&](const PodPtr& pod) {
    if (pod->volumes.empty() || !counted.insert(pod->key()).second) return;
    const auto attached = attached_volumes(snapshot, *pod);
    for (const auto& [driver, claim] : attached) {
      if (!seen.insert(claim).second) shared.insert(claim);
    }
  };
  for (const PodPtr& pod : pods) count(pod);
  for (const NodeView& node : snapshot.nodes) {
    for (const PodPtr& pod : node.pods) count(pod);
  }
  return shared;
}

Shape shape_of(const Snapshot& snapshot, const model::Pod& pod, const std::set<std::string>& seen,
               const std::set<std::string>& shared) {
  Shape shape{&pod, {}, {}, {}, {}};
  for (const std::string& key : seen) {
    const auto at = pod.meta.labels.find(key);
    shape.labels.push_back(at == pod.meta.labels.end() ? nullptr : &at->second);
  }
  if (pod.volumes.empty()) return shape;
  shape.problem = pod_problem(snapshot, pod);
  if (shape.problem.empty()) {
    if (auto alternatives = volume_alternatives(snapshot, pod)) {
      shape.volumes = std::move(*alternatives);
    } else {
      shape.problem = alternatives.error().message;
    }
  }
  shape.attached = attached_volumes(snapshot, pod);
  for (auto& [driver, claim] : shape.attached) {
    if (!shared.contains(claim)) claim.clear();
  }
  std::sort(shape.attached.begin(), shape.attached.end());
  return shape;
}

class Hash {
 public:
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }
  void add(size_t value) { hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15ULL + (hash_ >> 29); }
  void add(const std::optional<model::LabelSelector>& selector) {
    if (!selector) return;
    for (const auto& [key, value] : selector->match_labels) add(value);
  }
  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

// Equal for equal shapes, and mostly different for others.
size_t hash_of(const Shape& shape) {
  const model::Pod& pod = *shape.pod;
  Hash hash;
  hash.add(pod.meta.ns);
  for (const auto& [name, amount] : pod.requests.entries()) hash.add(static_cast<size_t>(amount));
  for (const std::string* label : shape.labels) hash.add(label ? std::string_view(*label) : std::string_view());
  for (const auto& [key, value] : pod.node_selector) hash.add(value);
  hash.add(static_cast<size_t>(pod.priority));
  for (const auto& spread : pod.spread) {
    hash.add(spread.topology_key);
    hash.add(spread.selector);
  }
  for (const auto& term : pod.affinity.required_pods) hash.add(term.selector);
  for (const auto& term : pod.affinity.required_anti_pods) hash.add(term.selector);
  return hash.value();
}

bool same(const Shape& a, const Shape& b) {
  const model::Pod &p = *a.pod, &q = *b.pod;
  const auto equal = [](const std::string* x, const std::string* y) { return x && y ? *x == *y : x == y; };
  return p.requests == q.requests && p.meta.ns == q.meta.ns &&
         std::equal(a.labels.begin(), a.labels.end(), b.labels.begin(), equal) && p.priority == q.priority &&
         p.node_selector == q.node_selector && p.tolerations == q.tolerations && p.affinity == q.affinity &&
         p.spread == q.spread && p.host_ports == q.host_ports && p.problem == q.problem &&
         p.uses_resource_claims == q.uses_resource_claims && p.volumes.empty() == q.volumes.empty() &&
         a.volumes == b.volumes && a.attached == b.attached && a.problem == b.problem;
}

void name_resources(Problem& problem, const std::vector<PodPtr>& pods) {
  std::set<std::string> names;
  const auto add = [&](const model::Pod& pod) {
    for (const auto& [name, amount] : pod.requests.entries()) {
      if (amount > 0 && !names.contains(name)) names.insert(name);
    }
  };
  for (const PodPtr& pod : pods) add(*pod);
  for (const model::DaemonSet* daemon : problem.daemons) add(daemon->pod_template);
  problem.resources.assign(names.begin(), names.end());
}

}  // namespace

size_t Problem::resource(std::string_view name) const {
  const auto at = std::lower_bound(resources.begin(), resources.end(), name);
  return at != resources.end() && *at == name ? static_cast<size_t>(at - resources.begin()) : resources.size();
}

Amounts Problem::amounts(const model::Resources& resources_of) const {
  Amounts result(resources.size(), 0);
  for (const auto& [name, amount] : resources_of.entries()) {
    if (const size_t i = resource(name); i < resources.size()) result[i] = amount;
  }
  return result;
}

void compile_pods(Problem& problem) {
  const std::vector<PodPtr> pods = wanted(problem);
  for (const auto& daemon : problem.snapshot->daemon_sets) {
    if (!daemon->pod_template.uses_resource_claims) problem.daemons.push_back(daemon.get());
  }
  name_resources(problem, pods);
  SeenLabels seen;
  for (const PodPtr& pod : pods) seen.add(*pod);
  for (const NodeView& node : problem.snapshot->nodes) {
    for (const PodPtr& pod : node.pods) {
      if (!pod->affinity.required_anti_pods.empty()) seen.add(*pod);
    }
  }
  const std::set<std::string> shared = shared_claims(*problem.snapshot, pods);
  std::vector<Shape> shapes;                      // one per class
  std::unordered_multimap<size_t, size_t> known;  // hash → class
  problem.pods.reserve(pods.size());
  for (const PodPtr& pod : pods) {
    Shape shape = shape_of(*problem.snapshot, *pod, seen.keys(), shared);
    const size_t hash = hash_of(shape);
    const auto [begin, end] = known.equal_range(hash);
    const auto at = std::find_if(begin, end, [&](const auto& entry) { return same(shapes[entry.second], shape); });
    const size_t index = at == end ? shapes.size() : at->second;
    if (at == end) {
      known.emplace(hash, index);
      PodClass c;
      c.sample = pod.get();
      c.requests = problem.amounts(pod->requests);
      c.ports = pod->host_ports;
      c.volumes = shape.attached;
      c.problem = pod->volumes.empty() ? pod_problem(*problem.snapshot, *pod) : shape.problem;
      problem.classes.push_back(std::move(c));
      shapes.push_back(std::move(shape));
    }
    problem.classes[index].pods.push_back(problem.pods.size());
    problem.pods.push_back({pod, index, {}});
    if (!pod->volumes.empty()) problem.pods.back().volumes = attached_volumes(*problem.snapshot, *pod);
  }
}

Problem compile(const Snapshot& snapshot, const SolveOptions& options) {
  Problem problem;
  problem.snapshot = &snapshot;
  problem.options = options;
  compile_pods(problem);
  compile_pools(problem);
  compile_nodes(problem);
  compile_forms(problem);
  compile_groups(problem);
  return problem;
}

}  // namespace tenon::scheduling
