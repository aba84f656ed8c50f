// Lists the constraints of a Scene, and builds the cluster without some of them.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/constraint.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::scheduling {
namespace {

using Kind = ConstraintKind;

bool same_rule(const model::Pod& a, size_t term_a, const model::Pod& b, size_t term_b) {
  const model::PodAffinityTerm &s = a.spec->affinity.required_anti_pods[term_a],
                               &t = b.spec->affinity.required_anti_pods[term_b];
  const bool by_labels = !s.match_label_keys.empty() || !s.mismatch_label_keys.empty();
  return a.meta.ns == b.meta.ns && s == t && (!by_labels || a.meta.labels == b.meta.labels);
}

// Calls back with each required anti-affinity term of a running pod that selects this one.
template <class Visit>
void for_running_terms(const Snapshot& world, const model::Pod& pod, Visit visit) {
  for (const NodeView& node : world.nodes) {
    for (const PodPtr& other : node.pods) {
      const auto& terms = other->spec->affinity.required_anti_pods;
      for (size_t t = 0; t < terms.size(); ++t) {
        if (terms[t].selector && terms[t].selector->matches(pod.meta.labels)) visit(other, t);
      }
    }
  }
}

void erase_at(auto& list, size_t index) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(index)); }

void drop_limit(model::NodePool& pool, const std::string& name) {
  model::Resources left;
  for (const auto& [resource, amount] : pool.limits->entries()) {
    if (resource != name) left.set(resource, amount);
  }
  pool.limits = left;
}

// Every node satisfies a term without expressions. Terms are alternatives, so all of them are removed then.
void drop_expression(model::Pod& pod, const Constraint& c) {
  auto& terms = pod.spec.edit().affinity.required_node_terms;
  if (terms.empty()) return;
  auto& expressions = terms[c.index].match_expressions;
  erase_at(expressions, c.part);
  if (expressions.empty()) terms.clear();
}

void drop_rule(Snapshot& world, const RunningRule& rule) {
  for (NodeView& node : world.nodes) {
    for (PodPtr& other : node.pods.edit()) {
      for (size_t t = other->spec->affinity.required_anti_pods.size(); t-- > 0;) {
        if (!same_rule(*rule.sample, rule.term, *other, t)) continue;
        model::Pod kinder = *other;
        erase_at(kinder.spec.edit().affinity.required_anti_pods, t);
        other = std::make_shared<const model::Pod>(std::move(kinder));
      }
    }
  }
}

void drop(const Constraint& c, const Scene& scene, Snapshot& world, model::Pod& pod, model::NodePool& pool) {
  auto& t = pool.node_template;
  switch (c.kind) {
    case Kind::kPoolRequirement: return erase_at(t.requirements, c.index);
    case Kind::kMinValues: return t.requirements[c.index].min_values.reset();
    case Kind::kNodeSelector: pod.spec.edit().node_selector.erase(c.name); return;
    case Kind::kNodeAffinity: return drop_expression(pod, c);
    case Kind::kVolume: return erase_at(pod.spec.edit().volumes, c.index);
    case Kind::kRequest: return pod.spec.edit().requests.set(c.name, 0);
    case Kind::kHostPort: return erase_at(pod.spec.edit().host_ports, c.index);
    case Kind::kLimit: return drop_limit(pool, c.name);
    case Kind::kSpread: return erase_at(pod.spec.edit().spread, c.index);
    case Kind::kAffinity: return erase_at(pod.spec.edit().affinity.required_pods, c.index);
    case Kind::kAntiAffinity: return erase_at(pod.spec.edit().affinity.required_anti_pods, c.index);
    case Kind::kRunningAntiAffinity: return drop_rule(world, scene.rules[c.index]);
    case Kind::kTaint: {
      const model::Taint& taint = t.taints[c.index];
      return pod.spec.edit().tolerations.push_back({taint.key, "Equal", taint.value, taint.effect, std::nullopt});
    }
    case Kind::kNotReady: world.pools[scene.pool].not_ready.clear();
  }
}

}  // namespace

Scene::Scene(Snapshot around_pod, PodPtr asked, model::Pod stripped, std::string_view pool_name)
    : world(std::move(around_pod)), original(std::move(asked)), pod(std::move(stripped)) {
  const auto at = std::find_if(world.pools.begin(), world.pools.end(),
                               [&](const PoolView& v) { return v.pool && v.pool->meta.name == pool_name; });
  CHECK(at != world.pools.end(), std::string(pool_name));
  pool = static_cast<size_t>(at - world.pools.begin());
  if (pod.spec->spread.empty()) {  // only a spread considers what other pools can launch
    world.pools = {*at};
    pool = 0;
  }
  for_running_terms(world, pod, [&](const PodPtr& other, size_t term) {
    const auto known = std::find_if(rules.begin(), rules.end(),
                                    [&](const RunningRule& r) { return same_rule(*r.sample, r.term, *other, term); });
    if (known == rules.end()) {
      rules.push_back({other, term, 1});
      return;
    }
    ++known->owners;
    if (other->key() < known->sample->key()) *known = {other, term, known->owners};
  });
  std::sort(rules.begin(), rules.end(), [](const RunningRule& a, const RunningRule& b) {
    return std::pair(a.sample->key(), a.term) < std::pair(b.sample->key(), b.term);
  });
}

Snapshot Scene::without(const std::vector<Constraint>& dropped) const {
  Snapshot result = world;
  model::Pod asks = pod;
  model::NodePool offers = node_pool();
  std::vector<Constraint> last_first = dropped;  // so that indexes stay valid
  std::sort(last_first.rbegin(), last_first.rend());
  for (const Constraint& c : last_first) drop(c, *this, result, asks, offers);
  result.pools[pool].pool = std::make_shared<const model::NodePool>(std::move(offers));
  result.pending = {std::make_shared<const model::Pod>(std::move(asks))};
  return result;
}

std::vector<Constraint> constraints_of(const Scene& scene) {
  std::vector<Constraint> all;
  const auto number = [&](Kind kind, size_t count) {
    for (size_t i = 0; i < count; ++i) all.push_back({.kind = kind, .index = i});
  };
  const model::Pod& pod = scene.pod;
  const model::NodeTemplate& t = scene.node_pool().node_template;
  number(Kind::kPoolRequirement, t.requirements.size());
  for (size_t i = 0; i < t.requirements.size(); ++i) {
    if (t.requirements[i].min_values) all.push_back({.kind = Kind::kMinValues, .index = i});
  }
  for (const auto& [key, value] : pod.spec->node_selector) all.push_back({.kind = Kind::kNodeSelector, .name = key});
  for (size_t i = 0; i < pod.spec->affinity.required_node_terms.size(); ++i) {
    const auto& expressions = pod.spec->affinity.required_node_terms[i].match_expressions;
    for (size_t e = 0; e < expressions.size(); ++e) all.push_back({.kind = Kind::kNodeAffinity, .index = i, .part = e});
  }
  number(Kind::kVolume, pod.spec->volumes.size());
  for (const auto& [name, amount] : pod.spec->requests.entries()) {
    if (amount > 0) all.push_back({.kind = Kind::kRequest, .name = name});
  }
  number(Kind::kHostPort, pod.spec->host_ports.size());
  if (const auto& limits = scene.node_pool().limits) {
    for (const auto& [name, amount] : limits->entries()) all.push_back({.kind = Kind::kLimit, .name = name});
  }
  number(Kind::kSpread, pod.spec->spread.size());
  number(Kind::kAffinity, pod.spec->affinity.required_pods.size());
  number(Kind::kAntiAffinity, pod.spec->affinity.required_anti_pods.size());
  number(Kind::kRunningAntiAffinity, scene.rules.size());
  for (size_t i = 0; i < t.taints.size(); ++i) {
    if (model::first_untolerated({t.taints[i]}, pod.spec->tolerations, true))
      all.push_back({.kind = Kind::kTaint, .index = i});
  }
  if (!scene.world.pools[scene.pool].not_ready.empty()) all.push_back({.kind = Kind::kNotReady});
  return all;
}

}  // namespace tenon::scheduling
