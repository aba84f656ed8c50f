// SPDX-License-Identifier: Apache-2.0
#include "scheduling/reference/rules.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::scheduling::reference {
namespace {

bool absence_will_do(model::Operator op) {
  return op == model::Operator::kNotIn || op == model::Operator::kDoesNotExist;
}

bool allows(const model::RequirementSpec& spec, const model::StringMap& labels) {
  const auto at = labels.find(spec.key);
  if (at == labels.end()) return absence_will_do(spec.op);
  return model::Requirement::make(spec)->allows(at->second);
}

bool allows(const std::vector<model::RequirementSpec>& specs, const model::StringMap& labels) {
  return std::all_of(specs.begin(), specs.end(), [&](const auto& spec) { return allows(spec, labels); });
}

bool stands(const model::Pod& pod, const std::vector<model::Taint>& taints) {
  return std::all_of(taints.begin(), taints.end(), [&](const model::Taint& taint) {
    return std::any_of(pod.spec->tolerations.begin(), pod.spec->tolerations.end(),
                       [&](const auto& t) { return t.tolerates(taint); });
  });
}

bool ports_clash(const std::vector<const model::Pod*>& pods) {
  std::set<int> taken;
  for (const model::Pod* pod : pods) {
    for (const model::HostPort& port : pod->spec->host_ports) {
      if (!taken.insert(port.port).second) return true;
    }
  }
  return false;
}

// True if a node with these labels can attach the pod's bound volumes. A spread ignores volumes.
bool volumes_are_in(const Snapshot& snapshot, const model::Pod& pod, const model::StringMap& labels) {
  return std::all_of(pod.spec->volumes.begin(), pod.spec->volumes.end(), [&](const model::PodVolume& volume) {
    const auto claim = snapshot.volume_claims.find(pod.meta.ns + "/" + volume.claim_name);
    if (claim == snapshot.volume_claims.end()) return false;
    const auto bound = snapshot.volumes.find(claim->second.volume_name);
    if (bound == snapshot.volumes.end()) return false;
    const auto& terms = bound->second.required_node_terms;
    return std::any_of(terms.begin(), terms.end(), [&](const auto& t) { return allows(t.match_expressions, labels); });
  });
}

bool all_may(const Snapshot& snapshot, const std::vector<const model::Pod*>& pods, const model::StringMap& labels,
             const std::vector<model::Taint>& taints) {
  return std::all_of(pods.begin(), pods.end(), [&](const model::Pod* pod) {
    return selects(*pod, labels) && stands(*pod, taints) && volumes_are_in(snapshot, *pod, labels);
  });
}

// Returns true if `other` has the owner's value of each of these labels (`same`), or of none (not `same`). Labels that
// the owner does not have are ignored.
bool shares(const std::vector<std::string>& keys, bool same, const model::Pod& owner, const model::Pod& other) {
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    const auto wanted = owner.meta.labels.find(key), found = other.meta.labels.find(key);
    if (wanted == owner.meta.labels.end()) return true;
    return (found != other.meta.labels.end() && found->second == wanted->second) == same;
  });
}

// Return true if the rule of `owner` matches `other`.
bool matches(const std::optional<model::LabelSelector>& selector, const model::Pod& owner, const model::Pod& other) {
  return selector && owner.meta.ns == other.meta.ns && selector->matches(other.meta.labels);
}
bool matches(const model::PodAffinityTerm& term, const model::Pod& owner, const model::Pod& other) {
  return matches(term.selector, owner, other) && shares(term.match_label_keys, true, owner, other) &&
         shares(term.mismatch_label_keys, false, owner, other);
}
bool matches(const model::SpreadConstraint& spread, const model::Pod& owner, const model::Pod& other) {
  return matches(spread.selector, owner, other) && shares(spread.match_label_keys, true, owner, other);
}

bool together(const std::string& key, const Standing& a, const Standing& b) {
  return key == model::kLabelHostname ? a.bin == b.bin : a.zone == b.zone;
}

bool apart(const std::vector<Standing>& all, const Standing& s) {
  for (const Standing& other : all) {
    if (other.pod == s.pod) continue;
    for (const auto& term : s.pod->spec->affinity.required_anti_pods) {
      if (matches(term, *s.pod, *other.pod) && together(term.topology_key, s, other)) return false;
    }
    for (const auto& term : other.pod->spec->affinity.required_anti_pods) {
      if (matches(term, *other.pod, *s.pod) && together(term.topology_key, s, other)) return false;
    }
  }
  return true;
}

// Returns true if the pod's affinity holds beside the pods that are there. If no pod matches, the pod may be anywhere
// if its rule matches itself.
bool near(const std::vector<Standing>& there, const Standing& s) {
  for (const auto& term : s.pod->spec->affinity.required_pods) {
    bool anyone = false, here = false;
    for (const Standing& other : there) {
      if (!matches(term, *s.pod, *other.pod)) continue;
      anyone = true;
      here |= together(term.topology_key, s, other);
    }
    if (!here && (anyone || !matches(term, *s.pod, *s.pod))) return false;
  }
  return true;
}

// Returns true if the pods can arrive one by one, in some order, such that the affinity of each holds on arrival.
bool can_arrive(const std::vector<Standing>& there, const std::vector<Standing>& coming) {
  if (coming.empty()) return true;
  for (size_t i = 0; i < coming.size(); ++i) {
    if (!near(there, coming[i])) continue;
    std::vector<Standing> more = there, rest = coming;
    more.push_back(coming[i]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    if (can_arrive(more, rest)) return true;
  }
  return false;
}

// Returns the zones of the nodes that the pod's selector and affinity allow: existing nodes, and new nodes that could
// be launched for some pod. Nodes that are being deleted count until they are gone.
std::set<std::string> open_zones(const Snapshot& snapshot, const std::vector<NewNode>& offers, const model::Pod& pod) {
  std::set<std::string> found;
  for (const NewNode& node : offers) {
    if (node.wanted && selects(pod, node.labels)) found.insert(node.offering->zone);
  }
  for (const NodeView& node : snapshot.nodes) {
    const auto labels = node.labels();
    if (selects(pod, labels)) found.emplace(model::lookup(labels, model::kLabelZone));
  }
  return found;
}

// A spread counts pods on nodes that its own pods may use. A new node counts if at least one of its offers is such a
// node.
bool looks_at(const model::Pod& owner, const Standing& other) {
  if (other.node) return selects(owner, other.node->labels());
  return std::any_of(other.offers->begin(), other.offers->end(),
                     [&](const NewNode* node) { return selects(owner, node->labels); });
}

bool even(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& all,
          const Standing& s) {
  for (const model::SpreadConstraint& rule : s.pod->spec->spread) {
    int here = 0;
    std::map<std::string, int> by_zone;
    for (const std::string& zone : open_zones(snapshot, offers, *s.pod)) by_zone[zone] = 0;
    for (const Standing& other : all) {
      if (!matches(rule, *s.pod, *other.pod)) continue;
      if (!looks_at(*s.pod, other)) continue;
      here += together(rule.topology_key, s, other) ? 1 : 0;
      ++by_zone[other.zone];
    }
    int least = INT_MAX;
    for (const auto& [zone, count] : by_zone) least = std::min(least, count);
    const bool few = static_cast<int>(by_zone.size()) < rule.min_domains.value_or(0);
    if (few || rule.topology_key == model::kLabelHostname) least = 0;
    if (here - least > rule.max_skew) return false;
  }
  return true;
}

// Returns the node once for each value of labels that the pool requires and no instance type decides.
std::vector<NewNode> by_own_labels(const NewNode& node) {
  std::vector<NewNode> all{node};
  for (const model::RequirementSpec& spec : node.pool->pool->node_template.requirements) {
    if (spec.op != model::Operator::kIn || node.labels.contains(spec.key)) continue;
    std::vector<NewNode> more;
    for (const NewNode& one : all) {
      for (const std::string& value : spec.values) {
        more.push_back(one);
        more.back().labels[spec.key] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

}  // namespace

bool selects(const model::Pod& pod, const model::StringMap& labels) {
  for (const auto& [key, value] : pod.spec->node_selector) {
    const auto at = labels.find(key);
    if (at == labels.end() || at->second != value) return false;
  }
  const auto& terms = pod.spec->affinity.required_node_terms;
  return terms.empty() ||
         std::any_of(terms.begin(), terms.end(), [&](const auto& t) { return allows(t.match_expressions, labels); });
}

bool below_limits(const Snapshot& snapshot, const NewNode& node) {
  const model::NodePool& pool = *node.pool->pool;
  if (!pool.limits) return true;
  model::Resources used = node.type->capacity;
  used.set("nodes", 1);
  for (const NodeView& other : snapshot.nodes) {
    if (other.pool() == pool.meta.name && !other.deleting()) used += other.capacity();
  }
  const auto& limits = pool.limits->entries();
  return std::all_of(limits.begin(), limits.end(),
                     [&](const auto& limit) { return used.get(limit.first) <= limit.second; });
}

bool reaches_min_values(const std::vector<const NewNode*>& offers, const NewNode& launched) {
  const auto& requirements = launched.pool->pool->node_template.requirements;
  return std::all_of(requirements.begin(), requirements.end(), [&](const model::RequirementSpec& spec) {
    std::set<std::string_view> values;
    for (const NewNode* offer : offers) {
      if (offer->offering->reservation_id != launched.offering->reservation_id) continue;
      if (spec.key == model::kLabelInstanceType) {
        values.insert(offer->type->name);
      } else if (const auto at = offer->labels.find(spec.key); at != offer->labels.end()) {
        values.insert(at->second);
      }
    }
    return static_cast<int>(values.size()) >= spec.min_values.value_or(0);
  });
}

std::vector<Standing> running(const Snapshot& snapshot) {
  std::vector<Standing> all;
  for (const NodeView& node : snapshot.nodes) {
    const auto labels = node.labels();
    for (const PodPtr& pod : node.pods) {  // the node's address is the bin of all its pods
      all.push_back({pod.get(), &node, std::string(model::lookup(labels, model::kLabelZone)), &node, nullptr});
    }
  }
  return all;
}

bool may_arrive(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& there,
                const Standing& coming) {
  std::vector<Standing> all = there;
  all.push_back(coming);
  return near(there, coming) && apart(all, coming) && even(snapshot, offers, all, coming);
}

std::vector<NewNode> new_nodes(const Snapshot& snapshot) {
  std::vector<NewNode> all;
  for (const PoolView& pool : snapshot.pools) {
    const model::NodeTemplate& common = pool.pool->node_template;
    for (const model::InstanceType& type : *pool.types) {
      const size_t first = all.size();
      for (const model::Offering& offering : type.offerings) {
        NewNode node{&snapshot, &pool, &type, &offering, common.labels, type.allocatable()};
        for (const auto& [key, values] : type.labels) node.labels[key] = values.front();
        const auto [key_of_pool, name_of_pool] = model::pool_label(pool.pool->meta.name);
        node.labels[std::string(key_of_pool)] = name_of_pool;
        node.labels[std::string(model::kLabelZone)] = offering.zone;
        node.labels[std::string(model::kLabelCapacityType)] = offering.capacity_type;
        if (!offering.available) continue;
        for (NewNode& one : by_own_labels(node)) {
          if (allows(common.requirements, one.labels)) all.push_back(std::move(one));
        }
      }
      for (const auto& daemon : snapshot.daemon_sets) {  // subtracted if the pod would run on any offering of the type
        const model::Pod& pod = daemon->pod_template;
        const auto runs = [&](const NewNode& node) { return all_may(snapshot, {&pod}, node.labels, common.taints); };
        if (std::none_of(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), runs)) continue;
        for (size_t i = first; i < all.size(); ++i) all[i].room -= pod.spec->requests;
      }
    }
  }
  for (NewNode& node : all) {
    const auto fits = [&](const PodPtr& pod) { return node.holds({pod.get()}); };
    node.wanted = below_limits(snapshot, node) && std::any_of(snapshot.pending.begin(), snapshot.pending.end(), fits);
  }
  return all;
}

bool NewNode::holds(const std::vector<const model::Pod*>& pods) const {
  model::Resources asked;
  for (const model::Pod* pod : pods) asked += pod->spec->requests;
  return asked.fits(room) && all_may(*snapshot, pods, labels, pool->pool->node_template.taints) && !ports_clash(pods);
}

bool node_holds(const Snapshot& snapshot, const NodeView& node, const std::vector<const model::Pod*>& pods) {
  const auto labels = node.labels();
  std::vector<const model::Pod*> with_ports = pods;
  model::Resources asked;
  for (const model::Pod* pod : pods) asked += pod->spec->requests;
  for (const PodPtr& pod : node.pods) {
    asked += pod->spec->requests;
    with_ports.push_back(pod.get());
  }
  for (const auto& daemon : snapshot.daemon_sets) {
    if (all_may(snapshot, {&daemon->pod_template}, labels, node.taints())) asked += daemon->pod_template.spec->requests;
  }
  return all_may(snapshot, pods, labels, node.taints()) && !ports_clash(with_ports) && asked.fits(node.allocatable());
}

bool zone_rules(const Snapshot& snapshot) {
  const auto by_zone = [](const auto& rule) { return rule.topology_key == model::kLabelZone; };
  const auto looks = [&](const model::Pod& pod) {
    const model::Affinity& a = pod.spec->affinity;
    return std::any_of(pod.spec->spread.begin(), pod.spec->spread.end(), by_zone) ||
           std::any_of(a.required_pods.begin(), a.required_pods.end(), by_zone) ||
           std::any_of(a.required_anti_pods.begin(), a.required_anti_pods.end(), by_zone);
  };
  for (const NodeView& node : snapshot.nodes) {
    if (std::any_of(node.pods.begin(), node.pods.end(), [&](const PodPtr& pod) { return looks(*pod); })) return true;
  }
  return std::any_of(snapshot.pending.begin(), snapshot.pending.end(), [&](const PodPtr& pod) { return looks(*pod); });
}

bool topology_holds(const Snapshot& snapshot, const std::vector<NewNode>& offers, const std::vector<Standing>& placed) {
  std::vector<Standing> all = running(snapshot), coming = placed;
  for (Standing& s : coming) s.bin = s.node ? s.node : s.bin;
  if (!can_arrive(all, coming)) return false;
  all.insert(all.end(), coming.begin(), coming.end());
  return std::all_of(coming.begin(), coming.end(),
                     [&](const Standing& s) { return apart(all, s) && even(snapshot, offers, all, s); });
}

}  // namespace tenon::scheduling::reference
