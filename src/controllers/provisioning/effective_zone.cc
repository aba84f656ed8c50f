// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/effective_zone.h"

#include <algorithm>
#include <utility>

#include "model/labels.h"

namespace tenon::controllers::provisioning {
namespace {

using Zones = std::set<std::string, std::less<>>;

// Returns the zones that the term permits. Requirements for other labels do not matter here.
Zones within(const Zones& zones, const std::vector<model::RequirementSpec>& specs) {
  Zones left = zones;
  for (const model::RequirementSpec& spec : specs) {
    if (model::canonical_label(spec.key) != model::kLabelZone) continue;
    const auto requirement = model::Requirement::make(spec);
    std::erase_if(left, [&](const std::string& zone) { return !requirement || !requirement->allows(zone); });
  }
  return left;
}

Zones within_any(const Zones& zones, const std::vector<model::NodeSelectorTerm>& terms) {
  if (terms.empty()) return zones;
  Zones out;
  for (const model::NodeSelectorTerm& term : terms) out.merge(within(zones, term.match_expressions));
  return out;
}

}  // namespace

EffectiveZones::EffectiveZones(const scheduling::Snapshot& snapshot) : snapshot_(snapshot) {
  for (const scheduling::PoolView& pool : snapshot.pools) {
    if (!pool.types) continue;
    for (const model::InstanceType& type : *pool.types) {
      for (const model::Offering& offering : type.offerings) all_.insert(offering.zone);
    }
  }
}

auto EffectiveZones::of_volume(const model::Pod& pod, const model::PodVolume& volume) const -> Zones {
  std::string storage_class = volume.storage_class;
  const std::string name = volume.ephemeral ? pod.meta.name + "-" + volume.name : volume.claim_name;
  const auto claim = snapshot_.volume_claims.find(pod.meta.ns + "/" + name);
  if (claim != snapshot_.volume_claims.end()) {
    const auto bound = snapshot_.volumes.find(claim->second.volume_name);
    if (bound != snapshot_.volumes.end()) return within_any(all_, bound->second.required_node_terms);
    storage_class = claim->second.storage_class;
  }
  const auto found = snapshot_.storage_classes.find(storage_class);
  return found == snapshot_.storage_classes.end() ? all_ : within_any(all_, found->second.allowed_topologies);
}

std::string EffectiveZones::of(const model::Pod& pod) const {
  Zones zones = within_any(all_, pod.spec->affinity.required_node_terms);
  for (const auto& [key, value] : pod.spec->node_selector) {
    if (model::canonical_label(key) == model::kLabelZone)
      std::erase_if(zones, [&value = value](const std::string& zone) { return zone != value; });
  }
  for (const model::PodVolume& volume : pod.spec->volumes) {
    const Zones of_this = of_volume(pod, volume);
    std::erase_if(zones, [&](const std::string& zone) { return !of_this.contains(zone); });
  }
  if (zones.empty()) return "none";
  return zones.size() == 1 ? *zones.begin() : "flexible";
}

}  // namespace tenon::controllers::provisioning
