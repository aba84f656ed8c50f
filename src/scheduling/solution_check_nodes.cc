// One node at a time: room, taints, requirements, ports, volumes, what is bought at which price; and the pools' limits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>

#include "model/labels.h"
#include "scheduling/solution_check.h"

namespace tenon::scheduling::check {
namespace {

tl::unexpected<Error> broken(const std::string& what) { return fail(Code::kInternal, what); }

bool hard(const model::Taint& taint) { return taint.effect == "NoSchedule" || taint.effect == "NoExecute"; }

bool stands(const model::Pod& pod, const std::vector<model::Taint>& taints) {
  return std::all_of(taints.begin(), taints.end(), [&](const model::Taint& taint) {
    return !hard(taint) || std::any_of(pod.spec->tolerations.begin(), pod.spec->tolerations.end(),
                                       [&](const model::Toleration& t) { return t.tolerates(taint); });
  });
}

bool clash(const model::HostPort& a, const model::HostPort& b) {
  const auto any = [](const std::string& ip) { return ip.empty() || ip == "0.0.0.0" || ip == "::"; };
  const auto protocol = [](const model::HostPort& p) { return p.protocol.empty() ? "TCP" : p.protocol; };
  return a.port == b.port && protocol(a) == protocol(b) && (a.ip == b.ip || any(a.ip) || any(b.ip));
}

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

// A pod's volume with what stands behind it; what is not there is null.
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

// Each volume of the pod can be attached here.
Status check_volumes(const Snapshot& snapshot, const Place& place, const model::Pod& pod) {
  for (const Volume& v : volumes_of(snapshot, pod)) {
    if (v.volume == nullptr && v.storage_class == nullptr) continue;
    const auto& terms = v.volume ? v.volume->required_node_terms : v.storage_class->allowed_topologies;
    const auto reachable = [&](const model::NodeSelectorTerm& term) {
      auto requirements = model::Requirements::make(term.match_expressions);
      if (requirements && v.volume && v.volume->local) requirements->erase(model::kLabelHostname);
      return requirements && place.satisfies(*requirements);
    };
    if (!terms.empty() && std::none_of(terms.begin(), terms.end(), reachable))
      return broken(pod.key() + ": its volume cannot follow");
  }
  return ok();
}

Status check_pod(const Snapshot& snapshot, const Place& place, const std::vector<model::Taint>& taints,
                 const model::Pod& pod) {
  if (!stands(pod, taints)) return broken(pod.key() + " does not tolerate a taint");
  const auto terms = required_terms(pod);
  const auto holds = [&](const model::Requirements& term) { return place.satisfies(term); };
  if (std::none_of(terms.begin(), terms.end(), holds))
    return broken(pod.key() + ": node selector or affinity does not hold");
  return check_volumes(snapshot, place, pod);
}

using Ways = std::span<const Outcome>;

std::map<std::string_view, Ways> ways_by_type(const Place& place) {
  std::map<std::string_view, Ways> by_type;
  for (size_t begin = 0, end = 0; begin < place.outcomes.size(); begin = end) {
    const model::InstanceType* type = place.outcomes[begin].type;
    while (end < place.outcomes.size() && place.outcomes[end].type == type) ++end;
    by_type.emplace(type->name, Ways(place.outcomes).subspan(begin, end - begin));
  }
  return by_type;
}

// The daemons that would run on one type under the pool's template.
std::vector<const model::Pod*> daemons_on(const Snapshot& snapshot, const Place& place, Ways of_type) {
  std::vector<const model::Pod*> daemons;
  for (const auto& daemon : snapshot.daemon_sets) {
    const model::Pod& pod = daemon->pod_template;
    if (pod.spec->uses_resource_claims || !stands(pod, place.planned->taints)) continue;
    const auto terms = required_terms(pod);
    if (std::any_of(terms.begin(), terms.end(), [&](const auto& t) { return place.may_satisfy(t, of_type); }))
      daemons.push_back(&pod);
  }
  return daemons;
}

// What DaemonSets will still ask for on a node that is there.
model::Resources daemons_to_come(const Snapshot& snapshot, const Place& place) {
  model::Resources coming, result;
  for (const auto& daemon : snapshot.daemon_sets) {
    const model::Pod& pod = daemon->pod_template;
    if (pod.spec->uses_resource_claims || !stands(pod, place.view->taints())) continue;
    const auto terms = required_terms(pod);
    if (std::any_of(terms.begin(), terms.end(), [&](const auto& t) { return place.satisfies(t); })) {
      coming += pod.spec->requests;
    }
  }
  for (const PodPtr& pod : place.view->pods) {
    if (pod->owned_by_daemon_set()) coming -= pod->spec->requests;
  }
  for (const auto& [name, amount] : coming.entries()) result.set(name, std::max<int64_t>(amount, 0));
  return result;
}

model::Price cheapest(Ways ways) {
  model::Price least(INT64_MAX);
  for (const Outcome& o : ways) least = std::min(least, o.offering->price);
  return least;
}

Status check_types(const Snapshot& snapshot, const SolveOptions& options, const Place& place) {
  const PlannedNode& node = *place.planned;
  if (node.instance_types.empty() || node.instance_types.size() > options.max_instance_types)
    return broken("wrong number of types");
  std::pair<model::Price, std::string> before{model::Price(-1), ""};
  model::Resources requests;
  std::vector<const model::Pod*> with_ports;
  for (const PodPtr& pod : place.arriving) {
    requests += pod->spec->requests;
    if (!pod->spec->host_ports.empty()) with_ports.push_back(pod.get());
  }
  const auto by_type = ways_by_type(place);
  for (const std::string& name : node.instance_types) {
    const auto ways = by_type.find(name);
    if (ways == by_type.end()) return broken("the pool has no offering of " + name);
    const std::pair<model::Price, std::string> now{cheapest(ways->second), name};
    if (now <= before) return broken(name + " is not in order of price");
    before = now;
    const auto daemons = daemons_on(snapshot, place, ways->second);
    model::Resources all = requests;
    for (const model::Pod* daemon : daemons) all += daemon->spec->requests;
    if (!all.fits(ways->second.front().type->allocatable())) return broken(name + " is too small");
    if (with_ports.empty()) continue;
    auto with_daemons = with_ports;
    with_daemons.insert(with_daemons.end(), daemons.begin(), daemons.end());
    TRY_IN(name, check_ports(with_daemons));
  }
  return ok();
}

Status check_launch(const SolveOptions& options, const Place& place) {
  const Launch& launch = place.planned->launch;
  const model::Offering* cheapest_one = nullptr;
  bool found = false;
  for (const Outcome& o : place.outcomes) {
    if (options.launch_below && o.offering->price >= *options.launch_below)
      return broken(o.type->name + " may cost too much");
    if (!cheapest_one || o.offering->price < cheapest_one->price) cheapest_one = o.offering;
    found |= o.type->name == launch.instance_type && o.offering->zone == launch.zone &&
             o.offering->capacity_type == launch.capacity_type && o.offering->price == launch.price;
  }
  if (!found) return broken("the launch is not among what is open");
  if (cheapest_one->price != launch.price) return broken("the launch is not the cheapest offering");
  if (launch.instance_type != place.planned->instance_types.front()) return broken("the launch is not the first type");
  return ok();
}

Status check_pool_rules(const Place& place) {
  const model::NodePool& pool = *place.pool->pool;
  if (pool.replicas || pool.meta.deleting() || !place.pool->not_ready.empty())
    return broken("the pool launches nothing");
  auto requirements = model::Requirements::make(pool.node_template.requirements);
  if (!requirements) return broken("the pool's requirements are invalid");
  for (const auto& [key, value] : pool.node_template.labels) requirements->add(model::Requirement::in(key, {value}));
  if (!place.satisfies(*requirements)) return broken("the pool's requirements do not hold");
  if (place.planned->taints != pool.node_template.taints) return broken("the taints are not the pool's");
  for (const auto& [key, r] : requirements->by_key()) {
    if (!r.min_values()) continue;
    const int least = place.planned->requirements.get(key).min_values().value_or(0);
    if (least < *r.min_values() && !place.planned->min_values_relaxed)
      return broken("minValues of " + key + " was lowered");
    std::set<std::string> values;
    for (const std::string& value : place.values(key)) {
      if (r.allows(value)) values.insert(value);
    }
    if (static_cast<int>(values.size()) < least) return broken("minValues of " + key + " is not met");
  }
  return ok();
}

}  // namespace

Status check_new_node(const Snapshot& snapshot, const SolveOptions& options, const Place& place) {
  if (!options.may_launch) return broken("nothing may be launched");
  if (place.arriving.empty()) return broken("it is bought for nothing");
  TRY(check_pool_rules(place));
  TRY(check_labels(place));
  TRY(check_types(snapshot, options, place));
  TRY(check_launch(options, place));
  for (const PodPtr& pod : place.arriving) TRY(check_pod(snapshot, place, place.planned->taints, *pod));
  return ok();
}

Status check_existing_node(const Snapshot& snapshot, const Place& place) {
  if (place.arriving.empty()) return ok();
  model::Resources all;
  std::vector<const model::Pod*> pods;
  std::map<std::string, std::set<std::string>> volumes;
  const auto add = [&](const PodPtr& pod) {
    all += pod->spec->requests;
    pods.push_back(pod.get());
    for (const Volume& v : volumes_of(snapshot, *pod)) {
      if (v.volume) volumes[v.volume->csi_driver].insert(v.claim_key);
      if (v.storage_class) volumes[v.storage_class->provisioner].insert(v.claim_key);
    }
  };
  for (const PodPtr& pod : place.running) add(pod);
  for (const PodPtr& pod : place.arriving) add(pod);
  all += daemons_to_come(snapshot, place);
  const model::Resources room = place.view->allocatable();
  for (const PodPtr& pod : place.arriving) {
    for (const auto& [name, amount] : pod->spec->requests.entries()) {
      if (amount > 0 && all.get(name) > room.get(name)) return broken("too little " + name);
    }
    TRY(check_pod(snapshot, place, place.view->taints(), *pod));
  }
  if (const auto csi = snapshot.csi_nodes.find(place.name); csi != snapshot.csi_nodes.end()) {
    for (const auto& [driver, limit] : csi->second.driver_limits) {
      if (static_cast<int>(volumes[driver].size()) > limit) return broken("too many volumes of " + driver);
    }
  }
  std::vector<const model::Pod*> arriving;
  for (const PodPtr& pod : place.arriving) arriving.push_back(pod.get());
  const bool ports =
      std::any_of(arriving.begin(), arriving.end(), [](const auto* p) { return !p->spec->host_ports.empty(); });
  return ports ? check_ports(pods) : ok();
}

Status check_limits(const Snapshot& snapshot, const SolveOptions& options, const std::vector<Place>& places) {
  for (const PoolView& view : snapshot.pools) {
    if (!view.pool->limits) continue;
    const std::string& name = view.pool->meta.name;
    model::Resources used;
    bool grows = false;
    for (const NodeView& node : snapshot.nodes) {
      const auto& gone = options.without_nodes;
      if (node.pool() != name || node.deleting()) continue;
      if (std::find(gone.begin(), gone.end(), node.name()) == gone.end()) used += node.capacity();
    }
    for (const Place& place : places) {
      if (!place.planned || place.planned->pool != name) continue;
      grows = true;
      model::Resources most{{"nodes", 1}};
      for (const Outcome& o : place.outcomes) most = model::Resources::max(most, o.type->capacity);
      used += most;
    }
    for (const auto& [resource, limit] : view.pool->limits->entries()) {
      if (grows && used.get(resource) > limit)
        return broken("NodePool " + name + " would pass its limit of " + resource);
    }
  }
  return ok();
}

}  // namespace tenon::scheduling::check
