// Lists the pods to place and groups them into classes of one shape. Pods of a class are equal to every rule of the
// solver: equal specs, namespaces and volumes, and equal values of the labels that some topology rule reads. Most costs
// of a plan grow with the number of classes: 10,000 pods of 20 Deployments are about 20 classes.
//
// Cost for P pods: P log P to sort them by key unless they are sorted, and P × labels that rules read. Pods share their
// specs, so that few specs are compared.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/check.h"
#include "scheduling/compile/parts.h"
#include "scheduling/compile/pod_classes.h"
#include "scheduling/input/eviction.h"
#include "scheduling/input/pod_check.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {
namespace {

// Returns byte i of the key namespace/name, or 0 behind its end.
unsigned char byte_of_key(const model::Pod& pod, size_t i) {
  const std::string &ns = pod.meta.ns, &name = pod.meta.name;
  if (i < ns.size()) return static_cast<unsigned char>(ns[i]);
  if (i == ns.size()) return '/';
  i -= ns.size() + 1;
  return i < name.size() ? static_cast<unsigned char>(name[i]) : 0;
}

// Compares pods by key, as the string namespace/name sorts.
bool by_key(const PodPtr& a, const PodPtr& b) {
  const std::string &x = a->meta.ns, &y = b->meta.ns;
  const size_t common = std::min(x.size(), y.size());
  if (const int c = x.compare(0, common, y, 0, common); c != 0) return c < 0;
  if (x.size() == y.size()) return a->meta.name < b->meta.name;
  return x.size() < y.size() ? '/' < y[common] : x[common] < '/';
}

// Compares the eight bytes behind the common start of all keys first. They are stored beside each other, so that most
// comparisons read no pod.
void sort_by_key(std::vector<PodPtr>& pods) {
  size_t same = std::string::npos;  // bytes at the start of all keys
  for (const PodPtr& pod : pods) {
    size_t i = 0;
    while (i < same && i <= pod->meta.ns.size() + pod->meta.name.size() &&
           byte_of_key(*pod, i) == byte_of_key(*pods.front(), i)) {
      ++i;
    }
    same = i;
  }
  struct Entry {
    uint64_t start;
    PodPtr pod;
  };
  std::vector<Entry> entries;
  entries.reserve(pods.size());
  for (PodPtr& pod : pods) {
    uint64_t start = 0;
    for (size_t i = 0; i < sizeof start; ++i) start = start << 8 | byte_of_key(*pod, same + i);
    entries.push_back({start, std::move(pod)});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.start != b.start ? a.start < b.start : by_key(a.pod, b.pod);
  });
  for (size_t i = 0; i < pods.size(); ++i) pods[i] = std::move(entries[i].pod);
}

bool same_key(const PodPtr& a, const PodPtr& b) { return a->meta.name == b->meta.name && a->meta.ns == b->meta.ns; }

// Returns the pods by key, each once.
std::vector<PodPtr> in_order(std::vector<PodPtr> pods) {
  if (!std::is_sorted(pods.begin(), pods.end(), by_key)) sort_by_key(pods);
  pods.erase(std::unique(pods.begin(), pods.end(), same_key), pods.end());
  return pods;
}

std::vector<PodPtr> wanted(const Problem& problem) {
  std::vector<PodPtr> pods = problem.snapshot->pending;
  if (problem.options.removed_nodes.empty() && problem.removable.empty()) return in_order(std::move(pods));
  const std::unordered_set<std::string_view> gone(problem.options.removed_nodes.begin(),
                                                  problem.options.removed_nodes.end());
  for (const NodeView& node : problem.snapshot->nodes) {
    if (!gone.contains(node.name()) && !problem.removable.contains(node.name())) continue;
    std::copy_if(node.pods.begin(), node.pods.end(), std::back_inserter(pods),
                 [&](const PodPtr& pod) { return leaves_if_removed(*problem.snapshot, node, *pod); });
  }
  return in_order(std::move(pods));
}

// The labels that some topology rule reads. Others do not distinguish pods.
class SeenLabels {
 public:
  void add(const model::PodSpec& spec) {
    for (const auto& s : spec.spread) {
      add(s.selector);
      keys_.insert(s.match_label_keys.begin(), s.match_label_keys.end());
    }
    for (const auto& t : spec.affinity.required_pods) add(t);
    for (const auto& t : spec.affinity.required_anti_pods) add(t);
    for (const auto& t : spec.affinity.preferred_pods) add(t.term);
    for (const auto& t : spec.affinity.preferred_anti_pods) add(t.term);
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

// Returns the volume claims that more than one pod uses, pending or running. Whether such a volume is attached already
// depends on the other pods of the node, so pods with different shared claims have different shapes.
std::set<std::string> shared_claims(const Snapshot& snapshot, const std::vector<PodPtr>& pods) {
  std::set<std::string> shared, seen;
  if (std::all_of(pods.begin(), pods.end(), [](const PodPtr& pod) { return pod->spec->volumes.empty(); }))
    return shared;
  std::set<std::string> counted;  // by pod key: a pod to place may also be listed on its node
  const auto count = [&](const PodPtr& pod) {
    if (pod->spec->volumes.empty() || !counted.insert(pod->key()).second) return;
    const auto attached = attached_volumes(snapshot, *pod);
    for (const auto& [driver, claim] : attached) {
      if (!seen.insert(claim).second) shared.insert(claim);
    }
  };
  for (const PodPtr& pod : pods) count(pod);
  for (const NodeView& node : snapshot.nodes) {
    for (const PodPtr& pod : node.pods.totals().with_volumes) count(pod);
  }
  return shared;
}

void add_volumes(const Snapshot& snapshot, const std::set<std::string>& shared, PodShape& shape) {
  const model::Pod& pod = *shape.pod;
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
}

void add_names(const model::Resources& requests, std::set<std::string>& names) {
  for (const auto& [name, amount] : requests.entries()) {
    if (amount > 0 && !names.contains(name)) names.insert(name);
  }
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
  std::vector<PodPtr> pods = wanted(problem);
  std::set<std::string> resources;
  for (const auto& daemon : problem.snapshot->daemon_sets) {
    if (daemon->pod_template.spec->uses_resource_claims) continue;
    problem.daemons.push_back(daemon.get());
    add_names(daemon->pod_template.spec->requests, resources);
  }
  DistinctSpecs specs;
  SeenLabels seen;
  for (const PodPtr& pod : pods) {
    if (!specs.add(*pod->spec)) continue;
    add_names(pod->spec->requests, resources);
    seen.add(*pod->spec);
  }
  problem.resources.assign(resources.begin(), resources.end());
  for (const NodeView& node : problem.snapshot->nodes) {
    for (const PodPtr& pod : node.pods.totals().apart) seen.add(*pod->spec);
  }
  std::unordered_set<const model::Pod*> running;
  for (const NodeView& node : problem.snapshot->nodes) {
    if (problem.removable.empty() || !problem.removable.contains(node.name())) continue;
    for (const PodPtr& pod : node.pods) running.insert(pod.get());
  }
  const std::set<std::string> shared = shared_claims(*problem.snapshot, pods);
  PodClasses classes(problem);
  problem.pods.reserve(pods.size());
  PodShape shape;
  for (PodPtr& pod : pods) {
    shape.pod = pod.get();
    shape.spec = specs.of(*pod->spec);
    shape.labels.clear();
    for (const std::string& key : seen.keys()) {
      const auto at = pod->meta.labels.find(key);
      shape.labels.push_back(at == pod->meta.labels.end() ? nullptr : &at->second);
    }
    const bool plain = pod->spec->volumes.empty();
    if (!plain) add_volumes(*problem.snapshot, shared, shape);
    const size_t index = classes.of(shape);
    problem.classes[index].pods.push_back(problem.pods.size());
    const bool runs = running.contains(pod.get());
    problem.pods.push_back({std::move(pod), static_cast<uint32_t>(index), runs, {}});
    if (plain) continue;
    problem.pods.back().volumes = Shared(attached_volumes(*problem.snapshot, *shape.pod));
    shape = {};
  }
  problem.classes.shrink_to_fit();  // there may be thousands
}

}  // namespace tenon::scheduling
