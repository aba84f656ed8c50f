// SPDX-License-Identifier: Apache-2.0
#include "scheduling/solution_check.h"

#include <algorithm>

#include "model/labels.h"
#include "scheduling/eviction.h"

namespace tenon::scheduling {
namespace check {
namespace {

std::string offering_label(const std::string& key, const model::Offering& o) {
  if (key == model::kLabelZone) return o.zone;
  if (key == model::kLabelZoneId) return o.zone_id;
  if (key == model::kLabelCapacityType) return o.capacity_type;
  if (key == model::kLabelReservationId) return o.reservation_id;
  if (key == "karpenter.k8s.aws/capacity-reservation-type") return o.reservation_type;
  return {};
}

bool offering_decides(const std::string& key) {
  return key == model::kLabelZone || key == model::kLabelZoneId || key == model::kLabelCapacityType ||
         key == model::kLabelReservationId || key == "karpenter.k8s.aws/capacity-reservation-type";
}

bool absent_ok(const model::Requirement& r) {
  return r.op() == model::Operator::kNotIn || r.op() == model::Operator::kDoesNotExist;
}

// The label's possible values on one outcome, after what the claim pins.
std::set<std::string> values_of(const Place& place, const Outcome& outcome, const std::string& key) {
  std::set<std::string> values;
  if (key == model::kLabelHostname) return {place.name};
  if (offering_decides(key)) {
    if (std::string v = offering_label(key, *outcome.offering); !v.empty()) values.insert(std::move(v));
    return values;
  }
  if (key == model::kLabelInstanceType) return {outcome.type->name};
  if (const auto at = outcome.type->labels.find(key); at != outcome.type->labels.end()) {
    const auto pinned = place.planned->requirements.get(key);
    for (const std::string& v : at->second) {
      if (pinned.allows(v)) values.insert(v);
    }
    if (values.empty()) values.insert(at->second.begin(), at->second.end());  // pinned to what it is not
    return values;
  }
  if (const auto at = place.planned->labels->find(key); at != place.planned->labels->end()) values.insert(at->second);
  return values;
}

// The label of an offering or type that no requirement names does not matter unless someone asks for it.
bool outcome_satisfies(const Place& place, const Outcome& outcome, const model::Requirements& requirements, bool all) {
  for (const auto& [key, r] : requirements.by_key()) {
    const auto values = values_of(place, outcome, key);
    if (values.empty()) {
      if (!absent_ok(r)) return false;
      continue;
    }
    const auto fits = [&](const std::string& v) { return key == model::kLabelHostname ? r.complement() : r.allows(v); };
    if (all ? !std::all_of(values.begin(), values.end(), fits) : std::none_of(values.begin(), values.end(), fits))
      return false;
  }
  return true;
}

std::vector<Outcome> outcomes_of(const PlannedNode& node, const std::vector<model::InstanceType>& types) {
  std::vector<Outcome> outcomes;
  const std::set<std::string_view> listed(node.instance_types.begin(), node.instance_types.end());
  for (const model::InstanceType& type : types) {
    if (!listed.contains(type.name)) continue;
    for (const model::Offering& offering : type.offerings) {
      if (!offering.available) continue;
      bool open = true;
      for (const auto& [key, r] : node.requirements.by_key()) {
        if (!offering_decides(key)) continue;
        const std::string value = offering_label(key, offering);
        open = open && (value.empty() ? absent_ok(r) : r.allows(value));
      }
      const bool reserved = offering.capacity_type == model::kCapacityReserved;
      if (open && (!reserved || node.launch.reservation_id == offering.reservation_id))
        outcomes.push_back({&type, &offering});
    }
  }
  return outcomes;
}

}  // namespace

std::set<std::string> Place::values(const std::string& key) const {
  std::set<std::string> all;
  if (view) {
    const auto labels = view->labels();
    if (const auto at = labels.find(key); at != labels.end()) return {at->second};
    if (key == model::kLabelHostname) all.insert(name);
    return all;
  }
  if (key == model::kLabelHostname) return {name};
  const bool by_offering = offering_decides(key);
  const model::InstanceType* before = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (by_offering) {
      if (std::string v = offering_label(key, *outcome.offering); !v.empty()) all.insert(std::move(v));
    } else if (outcome.type != before) {
      all.merge(values_of(*this, outcome, key));
    }
    before = outcome.type;
  }
  return all;
}

bool Place::satisfies(const model::Requirements& requirements) const {
  if (view) return may_satisfy(requirements);
  if (requirements.empty()) return true;
  return std::all_of(outcomes.begin(), outcomes.end(),
                     [&](const Outcome& o) { return outcome_satisfies(*this, o, requirements, true); });
}

bool Place::may_satisfy(const model::Requirements& requirements, std::span<const Outcome> ways) const {
  return std::any_of(ways.begin(), ways.end(),
                     [&](const Outcome& o) { return outcome_satisfies(*this, o, requirements, false); });
}

bool Place::may_satisfy(const model::Requirements& requirements) const {
  if (!view) return may_satisfy(requirements, outcomes);
  auto labels = view->labels();
  labels.try_emplace(std::string(model::kLabelHostname), name);
  for (const auto& [key, r] : requirements.by_key()) {
    const auto at = labels.find(key);
    if (at == labels.end() ? !absent_ok(r) : !r.allows(at->second)) return false;
  }
  return true;
}

std::vector<model::Requirements> required_terms(const model::Pod& pod) {
  model::Requirements selector;
  for (const auto& [key, value] : pod.spec->node_selector) selector.add(model::Requirement::in(key, {value}));
  std::vector<model::Requirements> terms;
  for (const auto& term : pod.spec->affinity.required_node_terms) {
    model::Requirements both = selector;
    if (const auto own = model::Requirements::make(term.match_expressions)) {
      both.add(*own);
      terms.push_back(std::move(both));
    }
  }
  if (pod.spec->affinity.required_node_terms.empty()) terms.push_back(std::move(selector));
  return terms;
}

}  // namespace check

namespace {

using check::Place;

tl::unexpected<Error> broken(const std::string& what) { return fail(Code::kInternal, what); }

std::map<std::string, PodPtr> pods_to_place(const Snapshot& snapshot, const SolveOptions& options) {
  std::map<std::string, PodPtr> pods;
  for (const PodPtr& pod : snapshot.pending) pods[pod->key()] = pod;
  for (const NodeView& node : snapshot.nodes) {
    if (std::find(options.without_nodes.begin(), options.without_nodes.end(), node.name()) ==
        options.without_nodes.end())
      continue;
    for (const PodPtr& pod : node.pods) {
      const bool moves = node.deleting() ? leaves_draining_node(snapshot, *pod) : reschedulable(*pod);
      if (moves) pods.emplace(pod->key(), pod);
    }
  }
  return pods;
}

class Checker {
 public:
  Checker(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution)
      : snapshot_(snapshot), options_(options), solution_(solution), pods_(pods_to_place(snapshot, options)) {}

  Status run();

 private:
  Status place_pods(const std::vector<std::string>& keys, Place& place);
  Status make_places();
  Status check_reservations() const;

  const Snapshot& snapshot_;
  const SolveOptions& options_;
  const Solution& solution_;
  std::map<std::string, PodPtr> pods_;
  std::set<std::string> seen_;
  std::vector<Place> places_;
};

Status Checker::place_pods(const std::vector<std::string>& keys, Place& place) {
  if (!std::is_sorted(keys.begin(), keys.end())) return broken(place.name + ": pods are not sorted");
  for (const std::string& key : keys) {
    const auto at = pods_.find(key);
    if (at == pods_.end()) return broken(place.name + ": pod " + key + " is not to be placed");
    if (!seen_.insert(key).second) return broken("pod " + key + " has two places");
    place.arriving.push_back(at->second);
  }
  return ok();
}

Status Checker::make_places() {
  std::set<std::string> used;
  for (const NodeView& node : snapshot_.nodes) {
    const std::string& name = node.name();
    const auto listed = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (listed(options_.without_nodes)) continue;
    Place place;
    place.name = name;
    place.view = &node;
    for (const PodPtr& pod : node.pods) {
      if (!pods_.contains(pod->key())) place.running.push_back(pod);
    }
    if (const auto at = solution_.existing.find(name); at != solution_.existing.end()) {
      if (node.deleting() || listed(options_.closed_nodes)) return broken(name + " takes no pods");
      used.insert(name);
      TRY(place_pods(at->second, place));
    }
    places_.push_back(std::move(place));
  }
  if (used.size() != solution_.existing.size()) return broken("the plan uses a node that is not there");
  for (const PlannedNode& node : solution_.new_nodes) {
    Place place;
    place.name = node.id;
    place.planned = &node;
    const auto pool = std::find_if(snapshot_.pools.begin(), snapshot_.pools.end(),
                                   [&](const PoolView& view) { return view.pool->meta.name == node.pool; });
    if (pool == snapshot_.pools.end()) return broken(node.id + ": no NodePool " + node.pool);
    place.pool = &*pool;
    if (pool->types) place.outcomes = check::outcomes_of(node, *pool->types);
    TRY(place_pods(node.pods, place));
    places_.push_back(std::move(place));
  }
  return ok();
}

Status Checker::check_reservations() const {
  std::map<std::string, int> used, most;
  for (const PoolView& view : snapshot_.pools) {
    if (!view.types) continue;
    for (const auto& type : *view.types) {
      for (const auto& o : type.offerings) {
        if (o.reservation_id.empty()) continue;
        const auto [at, fresh] = most.emplace(o.reservation_id, o.reservation_capacity);
        if (!fresh) at->second = std::min(at->second, o.reservation_capacity);
      }
    }
  }
  for (const PlannedNode& node : solution_.new_nodes) {
    if (node.launch.reservation_id.empty()) continue;
    if (++used[node.launch.reservation_id] > most[node.launch.reservation_id]) {
      return broken("reservation " + node.launch.reservation_id + " is oversold");
    }
  }
  return ok();
}

Status Checker::run() {
  TRY(make_places());
  for (const auto& [key, why] : solution_.unschedulable) {
    if (!pods_.contains(key)) return broken("pod " + key + " is not to be placed");
    if (!seen_.insert(key).second) return broken("pod " + key + " is placed and unschedulable");
    if (why.message.empty()) return broken("pod " + key + " is unschedulable without a reason");
  }
  if (seen_.size() != pods_.size()) return broken("some pod is forgotten");
  model::Price sum;
  for (const Place& place : places_) {
    if (place.planned) {
      TRY_IN(place.name, check::check_new_node(snapshot_, options_, place));
      sum += place.planned->launch.price;
    } else {
      TRY_IN(place.name, check::check_existing_node(snapshot_, place));
    }
  }
  if (sum != solution_.price) return broken("the price is not the sum of the nodes' prices");
  TRY(check_reservations());
  TRY(check::check_limits(snapshot_, options_, places_));
  return check::check_topology(snapshot_, places_);
}

}  // namespace

Status check_solution(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  return Checker(snapshot, options, solution).run();
}

}  // namespace tenon::scheduling
