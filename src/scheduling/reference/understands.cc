// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/reference/brute_force.h"

namespace tenon::scheduling::reference {
namespace {

using Keys = std::set<std::string, std::less<>>;

bool known_topology(std::string_view key) { return key == model::kLabelHostname || key == model::kLabelZone; }

bool plain(const model::PodAffinityTerm& term) {
  return term.namespaces.empty() && !term.namespace_selector && known_topology(term.topology_key);
}

bool plain(const model::SpreadConstraint& spread) {
  return !spread.schedule_anyway && spread.honor_node_affinity && !spread.honor_node_taints &&
         known_topology(spread.topology_key);
}

bool plain(const model::HostPort& port) { return port.ip.empty() && (port.protocol.empty() || port.protocol == "TCP"); }

bool plain(const model::Taint& taint) { return taint.effect != "PreferNoSchedule"; }

bool plain(const model::RequirementSpec& spec, const Keys& keys) {
  return keys.contains(spec.key) && model::Requirement::make(spec).has_value();
}

bool plain(const PoolView& view);
bool plain(const NodeView& view);

template <class List>
bool all_plain(const List& list, const auto&... more) {
  return std::all_of(list.begin(), list.end(), [&](const auto& item) { return plain(item, more...); });
}

// Returns the labels that have one value for each type, and those that the offering decides.
Keys keys_of(const Snapshot& snapshot) {
  Keys keys;
  for (const std::string_view key :
       {model::kLabelZone, model::kLabelCapacityType, model::kLabelNodePool, model::kLabelProvisioner})
    keys.emplace(key);
  for (const PoolView& view : snapshot.pools) {
    for (const auto& type : *view.types) {
      for (const auto& [key, values] : type.labels) keys.insert(key);
    }
  }
  for (const PoolView& view : snapshot.pools) {
    for (const auto& type : *view.types) {
      for (const auto& [key, values] : type.labels) {
        const bool of_offering = key == model::kLabelZone || key == model::kLabelCapacityType;
        if (values.size() != 1 && !of_offering) keys.erase(key);
      }
    }
  }
  return keys;
}

bool plain(const PoolView& view) {
  const model::NodePool& pool = *view.pool;
  if (!view.types || !view.not_ready.empty() || pool.replicas || pool.meta.deleting()) return false;
  const auto usable = [](const model::InstanceType& type) {
    return type.problem.empty() &&
           std::all_of(type.offerings.begin(), type.offerings.end(), [](const model::Offering& o) {
             return o.reservation_id.empty() && o.capacity_type != model::kCapacityReserved;
           });
  };
  return std::all_of(view.types->begin(), view.types->end(), usable) && all_plain(pool.node_template.taints);
}

bool is_bound(const Snapshot& snapshot, const model::Pod& pod, const Keys& keys) {
  return std::all_of(pod.spec->volumes.begin(), pod.spec->volumes.end(), [&](const model::PodVolume& volume) {
    const auto claim = snapshot.volume_claims.find(pod.meta.ns + "/" + volume.claim_name);
    if (volume.ephemeral || claim == snapshot.volume_claims.end() || claim->second.lost) return false;
    const auto at = snapshot.volumes.find(claim->second.volume_name);
    if (at == snapshot.volumes.end() || at->second.local || at->second.required_node_terms.empty()) return false;
    const auto& terms = at->second.required_node_terms;
    return claim->second.meta.annotations.contains("pv.kubernetes.io/bind-completed") &&
           std::all_of(terms.begin(), terms.end(), [&](const model::NodeSelectorTerm& t) {
             return t.match_fields.empty() && !t.match_expressions.empty() && all_plain(t.match_expressions, keys);
           });
  });
}

bool plain(const model::Pod& pod, const Keys& keys) {
  const model::Affinity& a = pod.spec->affinity;
  if (pod.terminal() || pod.meta.deleting() || a.required_pods.size() > 1) return false;
  if (!pod.spec->problem.empty() || !pod.spec->buffer.empty() || pod.spec->uses_resource_claims) return false;
  if (!a.preferred_node_terms.empty() || !a.preferred_pods.empty() || !a.preferred_anti_pods.empty()) return false;
  if (!all_plain(a.required_pods) || !all_plain(a.required_anti_pods) || !all_plain(pod.spec->spread)) return false;
  const auto term = [&](const model::NodeSelectorTerm& t) {
    return t.match_fields.empty() && !t.match_expressions.empty() && all_plain(t.match_expressions, keys);
  };
  std::set<int> ports;
  for (const model::HostPort& port : pod.spec->host_ports) ports.insert(port.port);
  return all_plain(pod.spec->host_ports) && ports.size() == pod.spec->host_ports.size() &&
         std::all_of(a.required_node_terms.begin(), a.required_node_terms.end(), term) &&
         std::all_of(pod.spec->node_selector.begin(), pod.spec->node_selector.end(),
                     [&](const auto& entry) { return keys.contains(entry.first); });
}

bool plain(const NodeView& view) {
  return view.node && !view.deleting() && view.initialized() && all_plain(view.node->taints) &&
         view.pod_requests().fits(view.allocatable());
}

}  // namespace

bool understands(const Snapshot& snapshot) {
  const auto known = [](const PoolView& view) { return view.types != nullptr; };
  if (!std::all_of(snapshot.pools.begin(), snapshot.pools.end(), known)) return false;
  Keys keys = keys_of(snapshot);
  for (const PoolView& view : snapshot.pools) {
    const auto& requirements = view.pool->node_template.requirements;
    const auto unlimited = [](const model::RequirementSpec& spec) { return !spec.min_values; };
    if (!all_plain(requirements, keys) || !std::all_of(requirements.begin(), requirements.end(), unlimited))
      return false;
  }
  for (const PoolView& view : snapshot.pools) {
    for (const auto& [key, value] : view.pool->node_template.labels) keys.insert(key);
  }
  const auto of_keys = [&](const PodPtr& pod) { return plain(*pod, keys) && is_bound(snapshot, *pod, keys); };
  const auto runs = [&](const NodeView& view) { return std::all_of(view.pods.begin(), view.pods.end(), of_keys); };
  const auto daemon = [&](const auto& set) {
    return plain(set->pod_template, keys) && set->pod_template.spec->volumes.empty() &&
           set->pod_template.spec->host_ports.empty();
  };
  return snapshot.pending.size() <= kMostPods && snapshot.csi_nodes.empty() && all_plain(snapshot.pools) &&
         all_plain(snapshot.nodes) && (snapshot.daemon_sets.empty() || snapshot.nodes.empty()) &&
         std::all_of(snapshot.pending.begin(), snapshot.pending.end(), of_keys) &&
         std::all_of(snapshot.nodes.begin(), snapshot.nodes.end(), runs) &&
         std::all_of(snapshot.daemon_sets.begin(), snapshot.daemon_sets.end(), daemon);
}

}  // namespace tenon::scheduling::reference
