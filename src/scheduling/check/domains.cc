// Finds domains of a topology key in which a node could be launched for a pod. They count for the minimum of a spread
// even if no node is there, so a plan that ignores them may be invalid.
//
// A subset is enough for a check: more domains make it stricter, and each one must be certain. So NodePools with limits
// or minValues, pods with volumes, and (through Design) reservations are omitted. For each NodePool, a blank node with
// every type is designed; a type and offering give one domain, and the pod must fit beside all DaemonSets.
//
//   types in zones a, b, c; a pod with a spread by zone and 2 pods in a, 1 in b: the minimum is 0, because of c
//
// Cost: types × offerings × terms for each (NodePool, key, terms), computed once; then domains × types for each pod
// spec.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/check/world.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling::check {
namespace {

bool launches(const PoolView& view, const model::Pod& pod) {
  const model::NodePool& pool = *view.pool;
  const auto& specs = pool.node_template.requirements;
  return view.not_ready.empty() && !pool.replicas && !pool.meta.deleting() && !pool.limits &&
         std::none_of(specs.begin(), specs.end(), [](const auto& spec) { return spec.min_values.has_value(); }) &&
         !model::first_untolerated(pool.node_template.taints, pod.spec->tolerations);
}

// Returns a node of the pool that may become every type. Labels of the NodePool that no type decides have one value
// each; if `key` is such a label, there is one node for each value.
std::vector<PlannedNode> blank_nodes(const PoolView& view, const model::Requirements& requirements,
                                     const std::string& key) {
  PlannedNode blank;
  blank.pool = view.pool->meta.name;
  model::StringMap labels = view.pool->node_template.labels;
  const auto [key_of_pool, name_of_pool] = model::pool_label(blank.pool);
  labels[std::string(key_of_pool)] = name_of_pool;
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

const World::TypesByDomain& World::types_by_domain(const Pool& pool, const std::string& key,
                                                   const std::vector<const Demand*>& terms) {
  const auto [at, fresh] = types_by_domain_.try_emplace({&pool, key, terms});
  if (!fresh) return at->second;
  for (const PlannedNode& blank : blank_nodes(*pool.view, *pool.demand, key)) {
    Design design(*this, pool, blank);
    for (size_t index = 0; index < pool.view->types->size(); ++index) {
      if (!design.instance_type(index).problem.empty()) continue;
      for (const model::Offering* way : design.type(index).ways) {
        const auto offered = offering_label(key, *way);
        const Values here = offered ? Values{std::string(*offered)} : design.values(std::span(&index, 1), key);
        if (here.size() != 1 || here.begin()->empty()) continue;
        std::vector<size_t>& types = at->second[*here.begin()];
        const bool known = !types.empty() && types.back() == index;
        const auto holds = [&](const Demand* demand) { return design.may_satisfy(index, *way, *demand); };
        if (!known && holds(pool.demand) && std::any_of(terms.begin(), terms.end(), holds)) types.push_back(index);
      }
    }
  }
  return at->second;
}

Values World::find_launchable(const std::string& key, const model::Pod& pod) {
  Values domains;
  if (!options_.may_launch || !pod.spec->volumes.empty()) return domains;
  const Spec& own = spec(pod);
  Sums requests = own.requests;  // with those of every DaemonSet
  for (const auto& daemon : snapshot_.daemon_sets) {
    const Sums& more = spec(daemon->pod_template).requests;
    for (size_t i = 0; i < requests.size(); ++i) requests[i] += more[i];
    if (!daemon->pod_template.spec->host_ports.empty() && !pod.spec->host_ports.empty()) return domains;
  }
  for (const PoolView& view : snapshot_.pools) {
    if (!view.pool || !launches(view, pod)) continue;
    const Pool* from = pool(view.pool->meta.name);
    if (!from->demand || !from->view->types) continue;
    const auto holds = [&](size_t type) {
      const Sums& room = from->allocatable[type];
      return std::equal(requests.begin(), requests.end(), room.begin(),
                        [](int64_t asked, int64_t there) { return asked <= 0 || asked <= there; });
    };
    for (const auto& [domain, types] : types_by_domain(*from, key, own.terms)) {
      if (!domains.contains(domain) && std::any_of(types.begin(), types.end(), holds)) domains.insert(domain);
    }
  }
  return domains;
}

// Every node that is launched is a domain of hostname.
const Values& World::launchable_domains(const std::string& key, const model::Pod& pod) {
  static const Values none;
  if (key == model::kLabelHostname) return none;
  const auto [at, fresh] = launchable_.try_emplace({key, &*pod.spec});
  if (fresh) at->second = find_launchable(key, pod);
  return at->second;
}

}  // namespace tenon::scheduling::check
