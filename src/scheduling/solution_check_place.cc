// What a place of a plan may turn out to be.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/solution_check.h"

namespace tenon::scheduling::check {
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
      if (!r.tolerates_absence()) return false;
      continue;
    }
    const auto fits = [&](const std::string& v) { return key == model::kLabelHostname ? r.complement() : r.allows(v); };
    if (all ? !std::all_of(values.begin(), values.end(), fits) : std::none_of(values.begin(), values.end(), fits))
      return false;
  }
  return true;
}

}  // namespace

std::set<std::string> Place::values(const std::string& key) const {
  std::set<std::string> all;
  if (view) {
    const auto& labels = view->labels();
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
    if (at == labels.end() ? !r.tolerates_absence() : !r.allows(at->second)) return false;
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
        open = open && (value.empty() ? r.tolerates_absence() : r.allows(value));
      }
      const bool reserved = offering.capacity_type == model::kCapacityReserved;
      if (open && (!reserved || node.launch.reservation_id == offering.reservation_id))
        outcomes.push_back({&type, &offering});
    }
  }
  return outcomes;
}

}  // namespace tenon::scheduling::check
