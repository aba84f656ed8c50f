// Which pods are to be placed, in classes of one shape. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/check.h"
#include "scheduling/problem.h"

namespace tenon::scheduling {
namespace {

// Labels that a controller gives each pod of its own.
constexpr std::string_view kPodName = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";

bool selects_by(const model::LabelSelector& selector, std::string_view key) {
  if (selector.match_labels.contains(key)) return true;
  return std::any_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&](const auto& e) { return e.key == key; });
}

// Some rule looks at the labels that differ from pod to pod, so they belong to the shape.
bool pod_labels_matter(const std::vector<PodPtr>& pods) {
  const auto matters = [](const std::optional<model::LabelSelector>& s) {
    return s && (selects_by(*s, kPodName) || selects_by(*s, kPodIndex));
  };
  const auto by_key = [](const std::vector<std::string>& keys) {
    return std::any_of(keys.begin(), keys.end(), [](const auto& key) { return key == kPodName || key == kPodIndex; });
  };
  for (const PodPtr& pod : pods) {
    for (const auto& s : pod->spread) {
      if (matters(s.selector) || by_key(s.match_label_keys)) return true;
    }
    const model::Affinity& a = pod->affinity;
    const auto term = [&](const model::PodAffinityTerm& t) {
      return matters(t.selector) || by_key(t.match_label_keys) || by_key(t.mismatch_label_keys);
    };
    if (std::any_of(a.required_pods.begin(), a.required_pods.end(), term)) return true;
    if (std::any_of(a.required_anti_pods.begin(), a.required_anti_pods.end(), term)) return true;
    const auto weighted = [&](const model::WeightedPodTerm& t) { return term(t.term); };
    if (std::any_of(a.preferred_pods.begin(), a.preferred_pods.end(), weighted)) return true;
    if (std::any_of(a.preferred_anti_pods.begin(), a.preferred_anti_pods.end(), weighted)) return true;
  }
  return false;
}

struct Shape {
  const model::Pod* pod;
  model::StringMap labels;
  std::vector<model::Requirements> volumes;
  std::vector<std::string> drivers;
  std::string problem;
};

Shape shape_of(const Snapshot& snapshot, const model::Pod& pod, bool all_labels) {
  Shape shape{&pod, pod.meta.labels, {}, {}, pod_problem(snapshot, pod)};
  if (!all_labels) {
    shape.labels.erase(std::string(kPodName));
    shape.labels.erase(std::string(kPodIndex));
  }
  if (!pod.volumes.empty() && shape.problem.empty()) {
    if (auto alternatives = volume_alternatives(snapshot, pod)) {
      shape.volumes = std::move(*alternatives);
    } else {
      shape.problem = alternatives.error().message;
    }
    for (const auto& [driver, claim] : attached_volumes(snapshot, pod)) shape.drivers.push_back(driver);
  }
  return shape;
}

bool same(const Shape& a, const Shape& b) {
  const model::Pod &p = *a.pod, &q = *b.pod;
  return p.requests == q.requests && p.meta.ns == q.meta.ns && a.labels == b.labels && p.priority == q.priority &&
         p.node_selector == q.node_selector && p.tolerations == q.tolerations && p.affinity == q.affinity &&
         p.spread == q.spread && p.host_ports == q.host_ports && a.volumes == b.volumes && a.drivers == b.drivers &&
         a.problem == b.problem;
}

std::vector<PodPtr> wanted(const Problem& problem) {
  std::map<std::string, PodPtr> by_key;
  for (const PodPtr& pod : problem.snapshot->pending) by_key.emplace(pod->key(), pod);
  const auto& gone = problem.options.without_nodes;
  for (const NodeView& node : problem.snapshot->nodes) {
    if (std::find(gone.begin(), gone.end(), node.name()) == gone.end()) continue;
    for (const PodPtr& pod : node.pods) {
      if (reschedulable(*pod)) by_key.emplace(pod->key(), pod);
    }
  }
  std::vector<PodPtr> pods;
  for (auto& [key, pod] : by_key) pods.push_back(std::move(pod));
  return pods;
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
  const bool all_labels = pod_labels_matter(pods);
  std::vector<Shape> shapes;  // one per class
  std::map<std::pair<std::string, std::vector<model::Resources::Entry>>, std::vector<size_t>> buckets;
  for (const PodPtr& pod : pods) {
    Shape shape = shape_of(*problem.snapshot, *pod, all_labels);
    auto& bucket = buckets[{pod->meta.ns, pod->requests.entries()}];
    const auto at = std::find_if(bucket.rbegin(), bucket.rend(), [&](size_t i) { return same(shapes[i], shape); });
    size_t index = shapes.size();
    if (at != bucket.rend()) {
      index = *at;
    } else {
      bucket.push_back(index);
      PodClass c;
      c.sample = pod.get();
      c.requests = problem.amounts(pod->requests);
      c.ports = pod->host_ports;
      c.problem = shape.problem;
      problem.classes.push_back(std::move(c));
      shapes.push_back(std::move(shape));
    }
    problem.classes[index].pods.push_back(problem.pods.size());
    problem.pods.push_back({pod, index, attached_volumes(*problem.snapshot, *pod)});
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
