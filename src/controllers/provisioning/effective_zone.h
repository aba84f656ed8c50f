// The zone that a pending pod can run in, for the metric scheduler_pending_pods_by_effective_zone_count. Pure.
// parity: karpenter pkg/controllers/provisioning/scheduling (effective zone)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "scheduling/input/snapshot.h"

namespace tenon::controllers::provisioning {

// Decides by the node selector, the required node affinity and the volumes of pods. Topology spread and pod affinity
// leave a pod flexible: they depend on where the other pods are placed.
class EffectiveZones {
 public:
  explicit EffectiveZones(const scheduling::Snapshot& snapshot);
  // Returns the zone; "flexible" if several are possible, "none" if no zone of a NodePool's offerings is.
  std::string of(const model::Pod& pod) const;

 private:
  using Zones = std::set<std::string, std::less<>>;
  Zones of_volume(const model::Pod& pod, const model::PodVolume& volume) const;

  const scheduling::Snapshot& snapshot_;
  Zones all_;
};

}  // namespace tenon::controllers::provisioning
