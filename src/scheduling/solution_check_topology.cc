// Spread, affinity and anti-affinity of the pods that a plan places, as the cluster will stand when all have arrived.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>

#include "model/labels.h"
#include "scheduling/solution_check.h"

namespace tenon::scheduling::check {
namespace {

tl::unexpected<Error> broken(const std::string& what) { return fail(Code::kInternal, what); }

struct Standing {
  const model::Pod* pod;
  const Place* place;
  bool arriving = false;
};

bool counts(const model::Pod& pod) { return !pod.terminal() && !pod.meta.deleting(); }

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

std::vector<model::Taint> taints_of(const Place& place) {
  return place.view ? place.view->taints() : place.planned->taints;
}

class Topology {
 public:
  Topology(const Snapshot& snapshot, const SolveOptions& options, const std::vector<Place>& places)
      : snapshot_(snapshot), options_(options), places_(places) {
    if (options.gone_nodes_are_domains) {
      for (const NodeView& node : snapshot.nodes) {
        const auto& gone = options.without_nodes;
        if (std::find(gone.begin(), gone.end(), node.name()) == gone.end()) continue;
        gone_.push_back({.name = node.name(), .view = &node});
      }
    }
    for (const Place& place : places) {
      for (const PodPtr& pod : place.running) {
        if (counts(*pod)) all_.push_back({pod.get(), &place});
      }
      for (const PodPtr& pod : place.arriving) {
        all_.push_back({pod.get(), &place, true});
        arriving_.push_back({pod.get(), &place, true});
      }
    }
    for (const Standing& s : all_) {
      everybody_.push_back(&s);
      if (!s.arriving && !s.pod->spec->affinity.required_anti_pods.empty()) apart_.push_back(&s);
      for (const auto& label : s.pod->meta.labels) by_label_[label].push_back(&s);
    }
  }
  Status run() const;

 private:
  const std::set<std::string>& values(const Place& place, const std::string& key) const;
  bool may_share(const Place& a, const Place& b, const std::string& key) const;
  // Where a spread's pods stand, as seen by the pods that have these rules.
  struct Census {
    std::set<std::string> possible;
    std::map<std::string, int> count;
    int least = INT_MAX;
  };
  using Label = std::pair<std::string, std::string>;

  using Standings = std::vector<const Standing*>;

  const Standings& named_by(const std::optional<model::LabelSelector>& selector) const;
  const Standings& named_in(const std::optional<model::LabelSelector>& selector, const std::string& key,
                            const std::string& value) const;
  Status anti_affinity(const Standing& s) const;
  Status affinity(const Standing& s) const;
  bool share(const Standing& a, const Standing& b, const std::string& key) const;
  bool may_be_first(const Standing& s, const Standings& named, const std::string& key) const;
  Status spread(const Standing& s, const model::SpreadConstraint& constraint) const;
  Census take_census(const Standing& s, const model::SpreadConstraint& constraint, const std::string& key) const;
  std::set<std::string> domains(const std::string& key, const model::Pod& pod, const model::SpreadConstraint& c) const;
  const std::set<std::string>& launchable(const std::string& key, const model::Pod& pod) const;

  const Snapshot& snapshot_;
  const SolveOptions& options_;
  const std::vector<Place>& places_;
  std::vector<Place> gone_;  // nodes that count as domains
  std::vector<Standing> all_, arriving_;
  Standings everybody_, apart_;  // apart_: those that run and have anti-affinity of their own
  std::map<Label, Standings> by_label_;
  // Of one of these lists and a key: who may stand in each domain.
  mutable std::map<std::pair<const Standings*, std::string>, std::map<std::string, Standings>> by_domain_;
  mutable std::map<std::string, Census> censuses_;                    // by all that they depend on
  mutable std::map<std::string, std::set<std::string>> launchable_;  // by all that they depend on
  mutable std::map<std::pair<const Place*, std::string>, std::set<std::string>> values_;
};

const std::set<std::string>& Topology::values(const Place& place, const std::string& key) const {
  const auto known = values_.find({&place, key});
  if (known != values_.end()) return known->second;
  return values_.emplace(std::pair{&place, key}, place.values(key)).first->second;
}

// All pods that such a selector could name.
const Topology::Standings& Topology::named_by(const std::optional<model::LabelSelector>& selector) const {
  static const Standings nobody;
  if (!selector) return nobody;
  if (selector->match_labels.empty()) return everybody_;
  const auto at = by_label_.find(*selector->match_labels.begin());
  return at == by_label_.end() ? nobody : at->second;
}

// Those of them that may stand in this domain.
const Topology::Standings& Topology::named_in(const std::optional<model::LabelSelector>& selector,
                                              const std::string& key, const std::string& value) const {
  static const Standings nobody;
  const Standings& named = named_by(selector);
  const auto [at, fresh] = by_domain_.try_emplace({&named, key});
  if (fresh) {
    for (const Standing* s : named) {
      for (const std::string& domain : values(*s->place, key)) at->second[domain].push_back(s);
    }
  }
  const auto here = at->second.find(value);
  return here == at->second.end() ? nobody : here->second;
}

bool Topology::may_share(const Place& a, const Place& b, const std::string& key) const {
  if (&a == &b) return !values(a, key).empty();
  const auto &mine = values(a, key), &theirs = values(b, key);
  return std::any_of(mine.begin(), mine.end(), [&](const auto& v) { return theirs.contains(v); });
}

// Pods that the arriving one names, and those that name it; between two arriving ones the first kind is enough.
Status Topology::anti_affinity(const Standing& s) const {
  for (const auto& term : s.pod->spec->affinity.required_anti_pods) {
    const std::string key(model::canonical_label(term.topology_key));
    for (const std::string& domain : values(*s.place, key)) {
      for (const Standing* other : named_in(term.selector, key, domain)) {
        if (other->pod != s.pod && term_matches(snapshot_, term, *s.pod, *other->pod))
          return broken(s.pod->key() + " must not share " + key + " with " + other->pod->key());
      }
    }
  }
  for (const Standing* other : apart_) {
    for (const auto& term : other->pod->spec->affinity.required_anti_pods) {
      const std::string key(model::canonical_label(term.topology_key));
      if (term_matches(snapshot_, term, *other->pod, *s.pod) && may_share(*s.place, *other->place, key))
        return broken(other->pod->key() + " must not share " + key + " with " + s.pod->key());
    }
  }
  return ok();
}

bool Topology::share(const Standing& a, const Standing& b, const std::string& key) const {
  const auto& mine = values(*a.place, key);
  return a.place == b.place || (mine.size() == 1 && mine == values(*b.place, key));
}

// The first of the pods that a rule names may stand anywhere. Those that run came before it, and so did one of those
// with the same rule that found nobody else where they are.
bool Topology::may_be_first(const Standing& s, const Standings& named, const std::string& key) const {
  const auto same_rule = [&](const Standing& a) {
    return a.pod->spec->affinity.required_pods == s.pod->spec->affinity.required_pods;
  };
  return std::all_of(named.begin(), named.end(), [&](const Standing* other) {
    const auto is = [&](const Standing& a) { return a.pod == other->pod; };
    if (std::none_of(arriving_.begin(), arriving_.end(), is)) return false;
    return !same_rule(*other) || std::any_of(named.begin(), named.end(), [&](const Standing* third) {
      return !same_rule(*third) && share(*third, *other, key);
    });
  });
}

Status Topology::affinity(const Standing& s) const {
  const auto& terms = s.pod->spec->affinity.required_pods;
  const auto matches_all = [&](const model::Pod& other) {
    return std::all_of(terms.begin(), terms.end(),
                       [&](const auto& t) { return term_matches(snapshot_, t, *s.pod, other); });
  };
  for (const auto& term : terms) {
    const std::string key(model::canonical_label(term.topology_key));
    const auto& mine = values(*s.place, key);
    if (mine.size() != 1) return broken(s.pod->key() + ": affinity leaves " + key + " open");
    bool together = false;
    Standings named;
    for (const Standing* other : named_by(term.selector)) {
      if (other->pod == s.pod || !matches_all(*other->pod)) continue;
      if (values(*other->place, key).empty()) continue;  // stands in no domain
      named.push_back(other);
      together = share(*other, s, key);
      if (together) break;
    }
    if (!together && !(matches_all(*s.pod) && may_be_first(s, named, key)))
      return broken(s.pod->key() + " must share " + key + " with pods it names");
  }
  return ok();
}

const std::set<std::string>& Topology::launchable(const std::string& key, const model::Pod& pod) const {
  std::string identity = key;
  for (const auto& [name, amount] : pod.spec->requests.entries()) identity += "|" + name + std::to_string(amount);
  for (const auto& t : pod.spec->tolerations) identity += "|" + t.key + " " + t.op + " " + t.value + " " + t.effect;
  for (const model::Requirements& term : required_terms(pod)) {
    identity += "|or";
    for (const auto& [name, r] : term.by_key()) identity += "|" + r.to_string();
  }
  identity += pod.spec->host_ports.empty() ? "" : "|ports";
  identity += pod.spec->volumes.empty() ? "" : "|volumes";
  const auto known = launchable_.find(identity);
  if (known != launchable_.end()) return known->second;
  return launchable_.emplace(identity, launchable_domains(snapshot_, options_, key, pod)).first->second;
}

// Where the rule's pods could stand: what the pools offer and where nodes are.
std::set<std::string> Topology::domains(const std::string& key, const model::Pod& pod,
                                        const model::SpreadConstraint& c) const {
  std::set<std::string> found;
  const auto terms = c.honor_node_affinity ? required_terms(pod) : std::vector{model::Requirements{}};
  const auto own = required_terms(pod);
  const auto add = [&](const Place& place) {
    const auto holds = [&](const auto& term) { return place.may_satisfy(term); };
    // A node to buy is a domain only if the pod's kin could have bought it.
    const auto& asked = place.view ? terms : own;
    if (std::none_of(asked.begin(), asked.end(), holds)) return;
    if (c.honor_node_taints && model::first_untolerated(taints_of(place), pod.spec->tolerations)) return;
    const auto& here = values(place, key);
    if (here.size() == 1) found.insert(*here.begin());
  };
  std::for_each(places_.begin(), places_.end(), add);
  std::for_each(gone_.begin(), gone_.end(), add);
  const auto& launched = launchable(key, pod);
  found.insert(launched.begin(), launched.end());
  return found;
}

Topology::Census Topology::take_census(const Standing& s, const model::SpreadConstraint& c,
                                       const std::string& key) const {
  const auto selector = merged(*c.selector, c.match_label_keys, model::Operator::kIn, *s.pod);
  Census census;
  census.possible = domains(key, *s.pod, c);
  const auto terms = c.honor_node_affinity ? required_terms(*s.pod) : std::vector{model::Requirements{}};
  for (const std::string& domain : census.possible) census.count[domain] = 0;
  for (const Standing* other : named_by(selector)) {
    if (other->pod->meta.ns != s.pod->meta.ns || !selector.matches(other->pod->meta.labels)) continue;
    const auto holds = [&](const auto& term) { return other->place->may_satisfy(term); };
    if (std::none_of(terms.begin(), terms.end(), holds)) continue;
    if (c.honor_node_taints && model::first_untolerated(taints_of(*other->place), s.pod->spec->tolerations)) continue;
    for (const std::string& domain : values(*other->place, key)) ++census.count[domain];
  }
  for (const auto& [domain, n] : census.count) census.least = std::min(census.least, n);
  if (key == model::kLabelHostname || static_cast<int>(census.possible.size()) < c.min_domains.value_or(0))
    census.least = 0;
  return census;
}

Status Topology::spread(const Standing& s, const model::SpreadConstraint& c) const {
  const std::string key(model::canonical_label(c.topology_key));
  const auto& mine = values(*s.place, key);
  if (mine.size() != 1) return broken(s.pod->key() + ": spread leaves " + key + " open");
  if (!c.selector) return ok();
  // Pods of one workload see the same; anything out of the ordinary is counted anew.
  const bool plain = c.selector->match_expressions.empty() && c.match_label_keys.empty() && !c.honor_node_taints &&
                     s.pod->spec->node_selector.empty() && s.pod->spec->affinity.required_node_terms.empty() &&
                     !c.min_domains;
  std::string identity = s.pod->meta.ns + "|" + key;
  for (const std::string& domain : launchable(key, *s.pod)) identity += "|" + domain;
  for (const auto& [name, value] : c.selector->match_labels) identity += "|" + name + "=" + value;
  Census fresh;
  const Census* census = &fresh;
  if (plain) {
    auto at = censuses_.find(identity);
    if (at == censuses_.end()) at = censuses_.emplace(identity, take_census(s, c, key)).first;
    census = &at->second;
  } else {
    fresh = take_census(s, c, key);
  }
  const auto here = census->count.find(*mine.begin());
  const int count = here == census->count.end() ? 0 : here->second;
  if (count - census->least > c.max_skew) {
    return broken(s.pod->key() + ": " + key + " " + *mine.begin() + " holds " + std::to_string(count) +
                  ", the least is " + std::to_string(census->least));
  }
  return ok();
}

Status Topology::run() const {
  for (const Standing& s : arriving_) {
    TRY(anti_affinity(s));
    TRY(affinity(s));
    for (const auto& constraint : s.pod->spec->spread) {
      if (!constraint.schedule_anyway) TRY(spread(s, constraint));
    }
  }
  return ok();
}

}  // namespace

Status check_topology(const Snapshot& snapshot, const SolveOptions& options, const std::vector<Place>& places) {
  return Topology(snapshot, options, places).run();
}

}  // namespace tenon::scheduling::check
