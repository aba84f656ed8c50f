// In which domains of a topology key a node could be launched for a pod. A part of the answer is enough for a check:
// what is not plain to see (limits, minValues, volumes, reservations) is left out.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/solution_check.h"

namespace tenon::scheduling::check {
namespace {

bool launches(const PoolView& view, const model::Pod& pod) {
  const model::NodePool& pool = *view.pool;
  const auto& specs = pool.node_template.requirements;
  return view.types && view.not_ready.empty() && !pool.replicas && !pool.meta.deleting() && !pool.limits &&
         std::none_of(specs.begin(), specs.end(), [](const auto& spec) { return spec.min_values.has_value(); }) &&
         !model::first_untolerated(pool.node_template.taints, pod.spec->tolerations);
}

// A node of the pool before anything is chosen; labels of the NodePool that no type decides have one value each.
// Several nodes if such a label is `key`.
std::vector<PlannedNode> blank_nodes(const PoolView& view, const model::Requirements& requirements,
                                     const std::string& key) {
  PlannedNode blank;
  blank.pool = view.pool->meta.name;
  model::StringMap labels = view.pool->node_template.labels;
  labels[std::string(model::kLabelNodePool)] = blank.pool;
  std::vector<std::string> names, values;
  for (const model::InstanceType& type : *view.types) names.push_back(type.name);
  blank.instance_types = names;
  blank.requirements = requirements;
  const auto of_types = [&](const std::string& label) {
    return model::is_well_known_label(label) ||
           std::any_of(view.types->begin(), view.types->end(), [&](const auto& t) { return t.labels.contains(label); });
  };
  for (const auto& [label, r] : requirements.by_key()) {
    if (labels.contains(label) || of_types(label) || r.complement() || r.values().empty()) continue;
    labels[label] = *r.values().begin();
    if (label == key) values.assign(r.values().begin(), r.values().end());
  }
  if (values.empty()) {
    blank.labels = Shared<model::StringMap>(labels);
    return {blank};
  }
  std::vector<PlannedNode> all;
  for (const std::string& value : values) {
    labels[key] = value;
    blank.labels = Shared<model::StringMap>(labels);
    all.push_back(blank);
  }
  return all;
}

}  // namespace

std::set<std::string> launchable_domains(const Snapshot& snapshot, const SolveOptions& options, const std::string& key,
                                         const model::Pod& pod) {
  std::set<std::string> domains;
  if (!options.may_launch || !pod.spec->volumes.empty()) return domains;
  model::Resources requests = pod.spec->requests;  // beside every DaemonSet there is
  for (const auto& daemon : snapshot.daemon_sets) {
    const model::PodSpec& spec = *daemon->pod_template.spec;
    requests += spec.requests;
    if (!spec.host_ports.empty() && !pod.spec->host_ports.empty()) return domains;
  }
  const std::vector<model::Requirements> terms = required_terms(pod);
  for (const PoolView& view : snapshot.pools) {
    if (!view.pool || !launches(view, pod)) continue;
    auto requirements = model::Requirements::make(view.pool->node_template.requirements);
    if (!requirements) continue;
    requirements->add(model::Requirements::from_labels(view.pool->node_template.labels));
    for (const PlannedNode& blank : blank_nodes(view, *requirements, key)) {
      Place place{.name = blank.pool, .planned = &blank, .pool = &view};
      for (const Outcome& outcome : outcomes_of(blank, *view.types)) {
        place.outcomes = {outcome};
        const auto holds = [&](const model::Requirements& term) { return place.may_satisfy(term); };
        const std::set<std::string> here = place.values(key);
        if (here.size() != 1 || domains.contains(*here.begin()) || !outcome.type->problem.empty()) continue;
        if (!holds(*requirements) || std::none_of(terms.begin(), terms.end(), holds)) continue;
        if (requests.fits(outcome.type->allocatable())) domains.insert(*here.begin());
      }
    }
  }
  return domains;
}

}  // namespace tenon::scheduling::check
