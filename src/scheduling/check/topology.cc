// Checks spreads, affinity and anti-affinity in the state after all pods have arrived. Anti-affinity of running pods
// against arriving ones is checked too; other rules of running pods are not, because the scheduler does not enforce
// them.
//
// A new node may have several possible domains. Anti-affinity counts its pods in each of them; affinity and spreads
// require a single one. Kinds of pods (crowd.h) replace pods: for each kind and rule, the matching kinds
// are found, their pods are counted by domain, and each member's domain is compared with the count.
//
//   anti-affinity  count in the domain, without the pod itself, is 0
//   affinity       count in the domain, without the pod itself, is above 0, or the pod may be the first one
//   spread         count in the domain − minimum over possible domains ≤ maxSkew
//
// Cost: kinds² for the selectors, and for each rule the members of its kinds and its domains; counts are cached.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>

#include "model/labels.h"
#include "scheduling/check/crowd.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::check {
namespace {

model::LabelSelector merged(model::LabelSelector selector, const std::vector<std::string>& keys, model::Operator op,
                            const model::Pod& pod) {
  for (const std::string& key : keys) {
    const auto at = pod.meta.labels.find(key);
    if (at != pod.meta.labels.end()) selector.match_expressions.push_back({key, op, {at->second}, std::nullopt});
  }
  return selector;
}

bool term_matches(const Snapshot& snapshot, const model::PodAffinityTerm& term, const model::Pod& owner,
                  const model::Pod& other) {
  if (!term.selector) return false;
  bool in_namespace = std::find(term.namespaces.begin(), term.namespaces.end(), other.meta.ns) != term.namespaces.end();
  if (term.namespace_selector) {
    const auto labels = snapshot.namespace_labels.find(other.meta.ns);
    in_namespace |= term.namespace_selector->empty() ||
                    (labels != snapshot.namespace_labels.end() && term.namespace_selector->matches(labels->second));
  } else if (term.namespaces.empty()) {
    in_namespace = other.meta.ns == owner.meta.ns;
  }
  auto selector = merged(*term.selector, term.match_label_keys, model::Operator::kIn, owner);
  selector = merged(selector, term.mismatch_label_keys, model::Operator::kNotIn, owner);
  return in_namespace && selector.matches(other.meta.labels);
}

bool contains(const Kinds& kinds, const Kind& kind) {
  return std::find(kinds.begin(), kinds.end(), &kind) != kinds.end();
}

class Topology {
 public:
  Topology(World& world, const std::vector<Place>& places) : world_(world), places_(places), crowd_(places) {
    if (!world.options().gone_nodes_are_domains || !crowd_.has_rules()) return;
    for (const NodeView& node : world.snapshot().nodes) {
      if (!world.is_gone(node.name())) continue;
      Place& place = gone_.emplace_back();
      place.name = node.name();
      place.view = &node;
    }
  }
  Status run();

 private:
  // Selects the nodes that a spread counts: nodes that satisfy a term and, if the spread honors taints, whose taints
  // its pods tolerate.
  struct Filter {
    std::vector<const Demand*> terms;
    const model::PodSpec* tolerating = nullptr;
    bool all() const { return !tolerating && terms.size() == 1 && terms.front()->empty(); }
    friend auto operator<=>(const Filter&, const Filter&) = default;
  };
  // The pods that a spread counts for the pods of one kind, by domain.
  struct Census {
    const std::unordered_map<std::string, int>* of_crowd = nullptr;  // by domain; null: `own`
    std::unordered_map<std::string, int> own;
    int least = INT_MAX;
    const std::unordered_map<std::string, int>& counts() const { return of_crowd ? *of_crowd : own; }
  };

  Kinds matching(const model::PodAffinityTerm& term, const Kind& owner) const;
  Status keeps_apart(const Kind& kind);
  std::string neighbour(const Standing& s, const Kinds& kinds, const std::string& key, const std::string& domain);
  Status is_kept_apart(const Kind& owner);
  Status affinity(const Kind& kind);
  bool may_be_first(const Standing& s, const Kinds& named, const std::string& key);
  Status spread(const Kind& kind, const model::SpreadConstraint& constraint);
  Census take_census(const Kind& kind, const model::SpreadConstraint& c, const std::string& key);
  void count_in_sight(const Kinds& kinds, const std::string& key, const Filter& filter, Census& census);
  bool in_sight(const Place& place, const Filter& filter) const;
  const Values& domains_of_nodes(const std::string& key, const Filter& filter, const Filter& own);

  World& world_;
  const std::vector<Place>& places_;
  std::vector<Place> gone_;  // nodes that count as domains
  Crowd crowd_;
  const std::vector<const Demand*> anything_{world_.demand({})};
  std::map<std::tuple<std::string, Filter, Filter>, Values> domains_;
  std::map<Filter, std::unordered_map<const Place*, bool>> in_sight_;
};

// Returns all kinds that the term matches.
Kinds Topology::matching(const model::PodAffinityTerm& term, const Kind& owner) const {
  Kinds kinds;
  for (const Kind* kind : crowd_.named_by(term.selector)) {
    if (term_matches(world_.snapshot(), term, *owner.sample, *kind->sample)) kinds.push_back(kind);
  }
  return kinds;
}

// Returns the key of another pod of these kinds that may be in this domain; empty if there is none.
std::string Topology::neighbour(const Standing& s, const Kinds& kinds, const std::string& key,
                                const std::string& domain) {
  for (const Kind* kind : kinds) {
    for (const Standing& other : kind->members) {
      if (other.pod != s.pod && crowd_.values(*other.place, key).contains(domain)) return other.pod->key();
    }
  }
  return {};
}

// Checks the anti-affinity of arriving pods.
Status Topology::keeps_apart(const Kind& kind) {
  for (const auto& term : kind.sample->spec->affinity.required_anti_pods) {
    const std::string key(model::canonical_label(term.topology_key));
    const Kinds kinds = matching(term, kind);
    if (kinds.empty()) continue;
    const auto& there = crowd_.counts(kinds, key).may_stand;
    const int self = contains(kinds, kind) ? 1 : 0;
    for (const Standing& s : kind.members) {
      for (const std::string& domain : crowd_.values(*s.place, key)) {
        if (Counts::get(there, domain) > self)
          return broken(s.pod->key() + " must not share " + key + " " + domain + " with " +
                        neighbour(s, kinds, key, domain));
      }
    }
  }
  return ok();
}

// Checks the anti-affinity of running pods against arriving ones. keeps_apart() has checked pairs of arriving pods.
Status Topology::is_kept_apart(const Kind& owner) {
  for (const auto& term : owner.sample->spec->affinity.required_anti_pods) {
    const std::string key(model::canonical_label(term.topology_key));
    const auto& there = crowd_.counts({&owner}, key).may_stand;
    for (const Kind* kind : matching(term, owner)) {
      if (!kind->arriving) continue;
      for (const Standing& s : kind->members) {
        const Values& here = crowd_.values(*s.place, key);
        if (std::any_of(here.begin(), here.end(), [&](const std::string& domain) { return there.contains(domain); }))
          return broken(owner.sample->key() + " must not share " + key + " with " + s.pod->key());
      }
    }
  }
  return ok();
}

// Returns true if the pod may have been the first of the pods that its rule matches: the first one may be in any
// domain. It is not if a matching pod runs, or if another pod with the same rule can only have been the first one,
// because no matching pod with another rule shares its node or domain.
bool Topology::may_be_first(const Standing& s, const Kinds& named, const std::string& key) {
  const auto same_rule = [&](const Kind& kind) {
    return kind.sample->spec->affinity.required_pods == s.pod->spec->affinity.required_pods;
  };
  std::set<const Place*> nodes_of_others;  // with another rule
  Values domains_of_others;
  for (const Kind* kind : named) {
    for (const Standing& other : kind->members) {
      const Values& here = crowd_.values(*other.place, key);
      if (here.empty() || other.pod == s.pod) continue;  // is in no domain
      if (!kind->arriving) return false;
      if (same_rule(*kind)) continue;
      nodes_of_others.insert(other.place);
      if (here.size() == 1) domains_of_others.insert(*here.begin());
    }
  }
  const auto beside_others = [&](const Standing& other) {
    const Values& here = crowd_.values(*other.place, key);
    return here.empty() || other.pod == s.pod || nodes_of_others.contains(other.place) ||
           (here.size() == 1 && domains_of_others.contains(*here.begin()));
  };
  return std::all_of(named.begin(), named.end(), [&](const Kind* kind) {
    return !same_rule(*kind) || std::all_of(kind->members.begin(), kind->members.end(), beside_others);
  });
}

Status Topology::affinity(const Kind& kind) {
  const auto& terms = kind.sample->spec->affinity.required_pods;
  if (terms.empty()) return ok();
  Kinds named = matching(terms.front(), kind);
  std::erase_if(named, [&](const Kind* other) {
    return !std::all_of(terms.begin(), terms.end(), [&](const model::PodAffinityTerm& term) {
      return term_matches(world_.snapshot(), term, *kind.sample, *other->sample);
    });
  });
  const bool names_itself = contains(named, kind);
  for (const auto& term : terms) {
    const std::string key(model::canonical_label(term.topology_key));
    const auto& there = crowd_.counts(named, key).stand;
    for (const Standing& s : kind.members) {
      const Values& mine = crowd_.values(*s.place, key);
      if (mine.size() != 1) return broken(s.pod->key() + ": affinity leaves " + key + " open");
      if (Counts::get(there, *mine.begin()) > (names_itself ? 1 : 0)) continue;
      if (!names_itself || !may_be_first(s, named, key))
        return broken(s.pod->key() + " must share " + key + " with pods it names");
    }
  }
  return ok();
}

bool Topology::in_sight(const Place& place, const Filter& filter) const {
  if (std::none_of(filter.terms.begin(), filter.terms.end(), [&](const Demand* t) { return place.may_satisfy(*t); }))
    return false;
  if (!filter.tolerating) return true;
  const auto& tolerations = filter.tolerating->tolerations;
  return !model::first_untolerated(place.view ? place.view->taints() : place.planned->taints, tolerations);
}

// Returns the domains of the nodes that the rule counts, and of the new nodes on which its pods could be launched.
const Values& Topology::domains_of_nodes(const std::string& key, const Filter& filter, const Filter& own) {
  const auto [at, fresh] = domains_.try_emplace({key, filter, own});
  if (!fresh) return at->second;
  Values& found = at->second;
  for (const Place& place : places_) {
    const Values& here = crowd_.values(place, key);
    if (here.size() == 1 && !found.contains(*here.begin()) && in_sight(place, place.view ? filter : own))
      found.insert(*here.begin());
  }
  for (const Place& place : gone_) {
    const Values here = place.values(key);
    if (here.size() == 1 && in_sight(place, filter)) found.insert(*here.begin());
  }
  return found;
}

void Topology::count_in_sight(const Kinds& kinds, const std::string& key, const Filter& filter, Census& census) {
  auto& known = in_sight_[filter];
  for (const Kind* kind : kinds) {
    for (const Standing& s : kind->members) {
      const auto [at, fresh] = known.try_emplace(s.place);
      if (fresh) at->second = in_sight(*s.place, filter);
      if (!at->second) continue;
      for (const std::string& domain : crowd_.values(*s.place, key)) ++census.own[domain];
    }
  }
}

Topology::Census Topology::take_census(const Kind& kind, const model::SpreadConstraint& c, const std::string& key) {
  const model::Pod& pod = *kind.sample;
  const auto selector = merged(*c.selector, c.match_label_keys, model::Operator::kIn, pod);
  Kinds counted;
  for (const Kind* other : crowd_.named_by(selector)) {
    if (other->sample->meta.ns == pod.meta.ns && selector.matches(other->sample->meta.labels)) counted.push_back(other);
  }
  const std::vector<const Demand*>& own = world_.spec(pod).terms;
  const model::PodSpec* tolerating = c.honor_node_taints ? &*pod.spec : nullptr;
  const Filter filter{c.honor_node_affinity ? own : anything_, tolerating};
  Census census;
  if (filter.all()) {
    census.of_crowd = &crowd_.counts(counted, key).may_stand;
  } else {
    count_in_sight(counted, key, filter, census);
  }
  if (key == model::kLabelHostname) {
    census.least = 0;  // another node can always be launched
    return census;
  }
  Values possible = domains_of_nodes(key, filter, {own, tolerating});
  const Values& launched = world_.launchable_domains(key, pod);
  possible.insert(launched.begin(), launched.end());
  for (const auto& [domain, n] : census.counts()) possible.insert(domain);
  for (const std::string& domain : possible)
    census.least = std::min(census.least, Counts::get(census.counts(), domain));
  if (static_cast<int>(possible.size()) < c.min_domains.value_or(0)) census.least = 0;
  return census;
}

Status Topology::spread(const Kind& kind, const model::SpreadConstraint& c) {
  const std::string key(model::canonical_label(c.topology_key));
  std::optional<Census> census;
  for (const Standing& s : kind.members) {
    const Values& mine = crowd_.values(*s.place, key);
    if (mine.size() != 1) return broken(s.pod->key() + ": spread leaves " + key + " open");
    if (!c.selector) continue;
    if (!census) census = take_census(kind, c, key);
    const int count = Counts::get(census->counts(), *mine.begin());
    if (count - census->least > c.max_skew) {
      return broken(s.pod->key() + ": " + key + " " + *mine.begin() + " holds " + std::to_string(count) +
                    ", the least is " + std::to_string(census->least));
    }
  }
  return ok();
}

Status Topology::run() {
  if (!crowd_.has_rules()) return ok();
  for (const Kind& kind : crowd_.kinds()) {
    if (!kind.arriving) {
      TRY(is_kept_apart(kind));
      continue;
    }
    TRY(keeps_apart(kind));
    TRY(affinity(kind));
    for (const auto& constraint : kind.sample->spec->spread) {
      if (!constraint.schedule_anyway) TRY(spread(kind, constraint));
    }
  }
  return ok();
}

}  // namespace

Status check_topology(World& world, const std::vector<Place>& places) { return Topology(world, places).run(); }

}  // namespace tenon::scheduling::check
