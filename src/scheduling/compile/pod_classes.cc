// SPDX-License-Identifier: Apache-2.0
#include "scheduling/compile/pod_classes.h"

#include <algorithm>

#include "base/hash.h"
#include "scheduling/input/pod_check.h"

namespace tenon::scheduling {
namespace {

void add(Hash& hash, const std::optional<model::LabelSelector>& selector) {
  if (!selector) return;
  for (const auto& [key, value] : selector->match_labels) hash.add(value);
}

// Returns a hash that is equal for alike specs.
size_t hash_of(const model::PodSpec& spec) {
  Hash hash;
  for (const auto& [name, amount] : spec.requests.entries()) hash.add(static_cast<size_t>(amount));
  for (const auto& [key, value] : spec.node_selector) hash.add(value);
  hash.add(static_cast<size_t>(spec.priority));
  for (const auto& spread : spec.spread) {
    hash.add(spread.topology_key);
    add(hash, spread.selector);
  }
  for (const auto& term : spec.affinity.required_pods) add(hash, term.selector);
  for (const auto& term : spec.affinity.required_anti_pods) add(hash, term.selector);
  return hash.value();
}

// Compares the fields that the solver uses, except volumes: those are compared as resolved (PodShape::volumes,
// attached).
bool alike(const model::PodSpec& p, const model::PodSpec& q) {
  return p.requests == q.requests && p.priority == q.priority && p.node_selector == q.node_selector &&
         p.tolerations == q.tolerations && p.affinity == q.affinity && p.spread == q.spread &&
         p.host_ports == q.host_ports && p.problem == q.problem && p.uses_resource_claims == q.uses_resource_claims &&
         p.volumes.empty() == q.volumes.empty();
}

size_t hash_of(const PodShape& shape) {
  Hash hash;
  hash.add(shape.spec);
  hash.add(shape.pod->meta.ns);
  for (const std::string* label : shape.labels) hash.add(label ? std::string_view(*label) : std::string_view());
  return hash.value();
}

bool same(const PodShape& a, const PodShape& b) {
  const auto equal = [](const std::string* x, const std::string* y) { return x && y ? *x == *y : x == y; };
  return a.spec == b.spec && a.pod->meta.ns == b.pod->meta.ns &&
         std::equal(a.labels.begin(), a.labels.end(), b.labels.begin(), equal) && a.volumes == b.volumes &&
         a.attached == b.attached && a.problem == b.problem;
}

}  // namespace

bool DistinctSpecs::add(const model::PodSpec& spec) {
  const auto [at, fresh] = by_address_.try_emplace(&spec);
  if (!fresh) return false;
  const size_t hash = hash_of(spec);
  const auto [begin, end] = by_hash_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& entry) { return alike(*specs_[entry.second], spec); });
  at->second = known == end ? specs_.size() : known->second;
  if (known != end) return true;
  by_hash_.emplace(hash, specs_.size());
  specs_.push_back(&spec);
  return true;
}

size_t PodClasses::of(const PodShape& shape) {
  const size_t hash = hash_of(shape);
  const auto [begin, end] = known_.equal_range(hash);
  const auto at = std::find_if(begin, end, [&](const auto& entry) { return same(shapes_[entry.second], shape); });
  if (at != end) return at->second;
  PodClass c;
  c.sample = shape.pod;
  c.requests = problem_.amounts(shape.pod->spec->requests);
  c.ports = shape.pod->spec->host_ports;
  c.volumes = shape.attached;
  c.problem = shape.pod->spec->volumes.empty() ? pod_problem(*problem_.snapshot, *shape.pod) : shape.problem;
  known_.emplace(hash, shapes_.size());
  problem_.classes.push_back(std::move(c));
  shapes_.push_back(shape);
  return shapes_.size() - 1;
}

}  // namespace tenon::scheduling
