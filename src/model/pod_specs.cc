// SPDX-License-Identifier: Apache-2.0
#include "model/pod_specs.h"

#include <algorithm>

#include "base/hash.h"

namespace tenon::model {
namespace {

void add(Hash& hash, const std::optional<LabelSelector>& selector) {
  if (!selector) return;
  for (const auto& [key, value] : selector->match_labels) hash.add(value);
}

}  // namespace

size_t hash_of(const PodSpec& spec) {
  Hash hash;
  for (const Resources* resources : {&spec.requests, &spec.limits}) {
    for (const auto& [name, amount] : resources->entries()) hash.add(static_cast<size_t>(amount));
  }
  hash.add(static_cast<size_t>(spec.priority));
  for (const auto& [key, value] : spec.node_selector) hash.add(value);
  for (const SpreadConstraint& spread : spec.spread) {
    hash.add(spread.topology_key);
    add(hash, spread.selector);
  }
  for (const PodAffinityTerm& term : spec.affinity.required_pods) add(hash, term.selector);
  for (const PodAffinityTerm& term : spec.affinity.required_anti_pods) add(hash, term.selector);
  for (const PodVolume& volume : spec.volumes) hash.add(volume.claim_name);
  return hash.value();
}

Shared<PodSpec> PodSpecs::share(Shared<PodSpec> spec) {
  const size_t hash = hash_of(*spec);
  const auto [begin, end] = by_hash_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& entry) { return entry.second == spec; });
  if (known != end) return known->second;
  if (by_hash_.size() >= limit_) forget_unused();
  return by_hash_.emplace(hash, std::move(spec))->second;
}

void PodSpecs::forget_unused() {
  std::erase_if(by_hash_, [](const auto& entry) { return entry.second.owners() == 1; });
  limit_ = std::max(limit_, 2 * by_hash_.size());
}

}  // namespace tenon::model
