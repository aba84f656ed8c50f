// Checks of single nodes: resources, taints, node requirements, ports, volumes. See new_nodes.cc for
// further checks of new nodes.
//
// An existing node must hold its running pods, the arriving ones, and the requests of DaemonSets that do not run there
// yet; only resources that an arriving pod requests are compared, since a node may be over-committed before.
//
// Cost: linear in the pods of the node; consecutive pods with one spec are compared with taints and requirements once.
// Ports are compared pairwise, and only on nodes where an arriving pod has some.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>

#include "model/labels.h"
#include "scheduling/check/world.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::check {
namespace {

bool clash(const model::HostPort& a, const model::HostPort& b) {
  const auto any = [](const std::string& ip) { return ip.empty() || ip == "0.0.0.0" || ip == "::"; };
  const auto protocol = [](const model::HostPort& p) { return p.protocol.empty() ? "TCP" : p.protocol; };
  return a.port == b.port && protocol(a) == protocol(b) && (a.ip == b.ip || any(a.ip) || any(b.ip));
}

// A pod's volume claim with its volume and storage class; null if they do not exist.
struct Volume {
  std::string claim_key;
  const model::PersistentVolume* volume = nullptr;
  const model::StorageClass* storage_class = nullptr;  // of an unbound one
};

std::vector<Volume> volumes_of(const Snapshot& snapshot, const model::Pod& pod) {
  std::vector<Volume> volumes;
  for (const model::PodVolume& volume : pod.spec->volumes) {
    const std::string name = volume.ephemeral ? pod.meta.name + "-" + volume.name : volume.claim_name;
    Volume v{.claim_key = pod.meta.ns + "/" + name};
    const auto claim = snapshot.volume_claims.find(v.claim_key);
    if (claim == snapshot.volume_claims.end() && !volume.ephemeral) continue;
    std::string class_name = volume.storage_class;
    if (claim != snapshot.volume_claims.end()) {
      class_name = claim->second.storage_class;
      const auto pv = snapshot.volumes.find(claim->second.volume_name);
      if (pv != snapshot.volumes.end()) v.volume = &pv->second;
    }
    const auto sc = snapshot.storage_classes.find(class_name);
    if (v.volume == nullptr && sc != snapshot.storage_classes.end()) v.storage_class = &sc->second;
    volumes.push_back(std::move(v));
  }
  return volumes;
}

// Checks that each volume of the pod can be attached here.
Status check_volumes(World& world, const Place& place, const model::Pod& pod) {
  for (const Volume& v : volumes_of(world.snapshot(), pod)) {
    if (v.volume == nullptr && v.storage_class == nullptr) continue;
    const auto& terms = v.volume ? v.volume->required_node_terms : v.storage_class->allowed_topologies;
    const auto reachable = [&](const model::NodeSelectorTerm& term) {
      auto requirements = model::Requirements::make(term.match_expressions);
      if (requirements && v.volume && v.volume->local) requirements->erase(model::kLabelHostname);
      return requirements && place.satisfies(*world.demand(std::move(*requirements)));
    };
    if (!terms.empty() && std::none_of(terms.begin(), terms.end(), reachable))
      return broken(pod.key() + ": its volume cannot follow");
  }
  return ok();
}

Status check_pod(World& world, const Place& place, const std::vector<model::Taint>& taints, const model::Pod& pod) {
  if (!stands(pod, taints)) return broken(pod.key() + " does not tolerate a taint");
  const auto& terms = world.spec(pod).terms;
  if (std::none_of(terms.begin(), terms.end(), [&](const Demand* term) { return place.satisfies(*term); }))
    return broken(pod.key() + ": node selector or affinity does not hold");
  return pod.spec->volumes.empty() ? ok() : check_volumes(world, place, pod);
}

// Returns the requests of DaemonSets that do not run on this existing node yet.
Sums daemons_to_come(World& world, const Place& place, const std::vector<model::Taint>& taints) {
  Sums coming(world.resources().size(), 0);
  for (const auto& daemon : world.snapshot().daemon_sets) {
    const model::Pod& pod = daemon->pod_template;
    if (pod.spec->uses_resource_claims || !stands(pod, taints)) continue;
    const Spec& spec = world.spec(pod);
    if (std::none_of(spec.terms.begin(), spec.terms.end(), [&](const Demand* t) { return place.satisfies(*t); }))
      continue;
    for (size_t i = 0; i < coming.size(); ++i) coming[i] += spec.requests[i];
  }
  for (const PodPtr& pod : place.view->pods) {
    if (!pod->owned_by_daemon_set()) continue;
    const Sums& requests = world.spec(*pod).requests;
    for (size_t i = 0; i < coming.size(); ++i) coming[i] -= requests[i];
  }
  for (int64_t& amount : coming) amount = std::max<int64_t>(amount, 0);
  return coming;
}

// Checks the number of volumes by driver, of running and arriving pods.
Status check_volume_limits(const Snapshot& snapshot, const Place& place) {
  const auto csi = snapshot.csi_nodes.find(place.name);
  if (csi == snapshot.csi_nodes.end()) return ok();
  std::map<std::string, std::set<std::string>> volumes;
  for (const auto* pods : {&place.running, &place.arriving}) {
    for (const model::Pod* pod : *pods) {
      for (const Volume& v : volumes_of(snapshot, *pod)) {
        if (v.volume) volumes[v.volume->csi_driver].insert(v.claim_key);
        if (v.storage_class) volumes[v.storage_class->provisioner].insert(v.claim_key);
      }
    }
  }
  for (const auto& [driver, limit] : csi->second.driver_limits) {
    if (static_cast<int>(volumes[driver].size()) > limit) return broken("too many volumes of " + driver);
  }
  return ok();
}

}  // namespace

Status check_ports(const std::vector<const model::Pod*>& pods) {
  for (size_t i = 0; i < pods.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (const auto& a : pods[i]->spec->host_ports) {
        for (const auto& b : pods[j]->spec->host_ports) {
          if (clash(a, b)) return broken("host port " + std::to_string(a.port) + " is wanted twice");
        }
      }
    }
  }
  return ok();
}

Status check_pods(World& world, const Place& place, const std::vector<model::Taint>& taints) {
  const model::PodSpec* before = nullptr;
  for (const model::Pod* pod : place.arriving) {
    const model::PodSpec* spec = &*pod->spec;
    if (spec == before && spec->volumes.empty()) continue;
    before = spec;
    TRY(check_pod(world, place, taints, *pod));
  }
  return ok();
}

Status check_existing_node(World& world, const Place& place) {
  if (place.arriving.empty()) return ok();
  const std::vector<model::Taint> taints = place.view->taints();
  Sums all = daemons_to_come(world, place, taints);
  std::vector<const model::Pod*> pods = place.running;
  pods.insert(pods.end(), place.arriving.begin(), place.arriving.end());
  for (const model::Pod* pod : pods) {
    const Sums& requests = world.spec(*pod).requests;
    for (size_t i = 0; i < all.size(); ++i) all[i] += requests[i];
  }
  const Sums room = world.sums(place.view->allocatable());
  for (const model::Pod* pod : place.arriving) {
    const Sums& requests = world.spec(*pod).requests;
    for (size_t i = 0; i < all.size(); ++i) {
      if (requests[i] > 0 && all[i] > room[i]) return broken("too little " + world.resources()[i]);
    }
  }
  TRY(check_pods(world, place, taints));
  TRY(check_volume_limits(world.snapshot(), place));
  const bool ports = std::any_of(place.arriving.begin(), place.arriving.end(),
                                 [](const model::Pod* p) { return !p->spec->host_ports.empty(); });
  return ports ? check_ports(pods) : ok();
}

}  // namespace tenon::scheduling::check
