// Design and Place: the possible labels of a node of a plan.
//
// An existing node has one value for each label. A new node has a set of values: over its listed types, and for each
// type over the available offerings that its requirements allow (`ways`). A demand then holds always, maybe or never:
//
//   m5.large in zones a and b: zone in {a, b} → always; zone in {a} → maybe; zone in {c} → never
//
// Values are stored once per distinct set, because most types of a pool have equal ones, and answers once per (type,
// demand), because demands are shared by address. A Choice stores them once per list of types: 15,000 new nodes of 20
// Deployments have some hundreds of lists.
//
// Cost: an answer is offerings × keys of the demand; then a lookup.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/hash.h"
#include "model/labels.h"
#include "scheduling/check/world.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling::check {

std::optional<std::string_view> offering_label(const std::string& key, const model::Offering& o) {
  if (key == model::kLabelZone) return o.zone;
  if (key == model::kLabelZoneId) return o.zone_id;
  if (key == model::kLabelCapacityType) return o.capacity_type;
  if (key == model::kLabelReservationId) return o.reservation_id;
  if (key == model::kLabelReservationType) return o.reservation_type;
  return std::nullopt;
}

Design::Design(World& world, const Pool& pool, const PlannedNode& sample)
    : world_(world), pool_(pool), sample_(sample), types_(pool.view->types ? pool.view->types->size() : 0) {}

bool Design::of_kind(const PlannedNode& node) const {
  return node.pool == sample_.pool && node.requirements == sample_.requirements && node.labels == sample_.labels &&
         node.launch.reservation_id == sample_.launch.reservation_id;
}

Result<Choice*> Design::choice(const TypeNames& names) {
  Hash hash;
  hash.add(names.size());
  if (!names.empty()) hash.add(names.front());
  if (!names.empty()) hash.add(names[names.size() - 1]);
  const auto [begin, end] = choices_by_hash_.equal_range(hash.value());
  const auto known = std::find_if(begin, end, [&](const auto& entry) { return entry.second->first == names; });
  if (known != end) return &known->second->second;
  std::vector<size_t> types;
  for (const std::string& name : names) {
    const auto at = pool_.by_name.find(name);
    if (at == pool_.by_name.end() || type(at->second).ways.empty())
      return broken("the pool has no offering of " + name);
    types.push_back(at->second);
  }
  choices_.emplace_back(names, Choice(*this, std::move(types)));
  choices_by_hash_.emplace(hash.value(), &choices_.back());
  return &choices_.back().second;
}

void Design::list_ways(size_t index, Type& type) const {
  for (const model::Offering& offering : instance_type(index).offerings) {
    if (!offering.available) continue;
    const auto& by_key = sample_.requirements.by_key();
    const bool open = std::all_of(by_key.begin(), by_key.end(), [&](const auto& entry) {
      const auto value = offering_label(entry.first, offering);
      return !value || (value->empty() ? entry.second.tolerates_absence() : entry.second.allows(*value));
    });
    const bool reserved = offering.capacity_type == model::kCapacityReserved;
    if (!open || (reserved && sample_.launch.reservation_id != offering.reservation_id)) continue;
    type.ways.push_back(&offering);
    type.cheapest = std::min(type.cheapest, offering.price);
    type.dearest = std::max(type.dearest, offering.price);
  }
}

void Design::add_daemons(size_t index, Type& type) {
  type.room = pool_.allocatable[index];
  for (const model::Pod* daemon : pool_.daemons) {
    const Spec& spec = world_.spec(*daemon);
    if (std::none_of(spec.terms.begin(), spec.terms.end(), [&](const Demand* t) { return may_satisfy(index, *t); }))
      continue;
    for (size_t i = 0; i < type.room.size(); ++i) type.room[i] -= spec.requests[i];
    if (!daemon->spec->host_ports.empty()) type.daemons_with_ports.push_back(daemon);
  }
  type.holds_daemons = std::none_of(type.room.begin(), type.room.end(), [](int64_t left) { return left < 0; });
}

const Design::Type& Design::type(size_t index) {
  std::optional<Type>& type = types_[index];
  if (type) return *type;
  Type made;
  list_ways(index, made);
  type = made;  // add_daemons() reads the ways
  add_daemons(index, made);
  type = std::move(made);
  return *type;
}

Values Design::find_values(size_t index, const std::string& key) const {
  Values values;
  const model::InstanceType& type = instance_type(index);
  if (offering_label(key, model::Offering{})) {
    for (const model::Offering* way : types_[index]->ways) {
      if (const std::string_view value = *offering_label(key, *way); !value.empty()) values.emplace(value);
    }
    return values;
  }
  if (key == model::kLabelInstanceType) return {type.name};
  if (const auto at = type.labels.find(key); at != type.labels.end()) {
    const auto& pins = sample_.requirements.by_key();
    const auto pin = pins.find(key);
    for (const std::string& v : at->second) {
      if (pin == pins.end() || pin->second.allows(v)) values.insert(v);
    }
    if (values.empty()) values.insert(at->second.begin(), at->second.end());  // the requirement excludes all values
    return values;
  }
  if (const auto at = sample_.labels->find(key); at != sample_.labels->end()) values.insert(at->second);
  return values;
}

size_t Design::values_id(size_t index, KnownValues& known, const std::string& key) {
  if (known.of_type.empty()) known.of_type.assign(types_.size(), -1);
  int& id = known.of_type[index];
  if (id >= 0) return static_cast<size_t>(id);
  type(index);
  const auto [at, fresh] = known.ids.emplace(find_values(index, key), static_cast<int>(known.distinct.size()));
  if (fresh) known.distinct.push_back(at->first);
  id = at->second;
  return static_cast<size_t>(id);
}

const Values& Design::values(size_t index, const std::string& key) {
  KnownValues& known = known_values_[key];
  return known.distinct[values_id(index, known, key)];
}

Values Design::values(std::span<const size_t> types, const std::string& key) {
  KnownValues& known = known_values_[key];
  Values all;
  std::vector<bool> seen;
  for (const size_t index : types) {
    const size_t id = values_id(index, known, key);
    if (id >= seen.size()) seen.resize(id + 1);
    if (seen[id]) continue;
    seen[id] = true;
    all.insert(known.distinct[id].begin(), known.distinct[id].end());
  }
  return all;
}

// Returns true if the demand holds on this type and offering: for all values of each label (`all`), or for at least
// one.
bool Design::holds(size_t index, const model::Offering& way, const Demand& demand, bool all) {
  for (const auto& [key, r] : demand.by_key()) {
    if (key == model::kLabelHostname) {
      if (!r.complement()) return false;
      continue;
    }
    if (const auto value = offering_label(key, way)) {
      if (value->empty() ? !r.tolerates_absence() : !r.allows(*value)) return false;
      continue;
    }
    const Values& here = values(index, key);
    const auto fits = [&, &asked = r](const std::string& v) { return asked.allows(v); };
    if (here.empty() ? !r.tolerates_absence()
        : all        ? !std::all_of(here.begin(), here.end(), fits)
                     : std::none_of(here.begin(), here.end(), fits))
      return false;
  }
  return true;
}

bool Design::may_satisfy(size_t index, const model::Offering& way, const Demand& demand) {
  return holds(index, way, demand, false);
}

Design::Answer Design::find_answer(size_t index, const Demand& demand) {
  const std::vector<const model::Offering*>& ways = type(index).ways;
  bool always = true, ever = false;
  for (const model::Offering* way : ways) {
    always = always && holds(index, *way, demand, true);
    ever = ever || holds(index, *way, demand, false);
  }
  return !ever ? kNever : always ? kAlways : kMaybe;
}

Design::Answer Design::answer(size_t index, const Demand& demand) {
  if (demand.empty()) return kAlways;
  std::vector<Answer>& known = answers_[&demand];
  if (known.empty()) known.assign(types_.size(), kUnknown);
  if (known[index] == kUnknown) known[index] = find_answer(index, demand);
  return known[index];
}

Choice::Choice(Design& design, std::vector<size_t> types) : design_(design), types_(std::move(types)) {
  for (const size_t index : types_) {
    const Sums& room = design_.type(index).room;
    if (least_room_.empty()) least_room_ = room;
    for (size_t i = 0; i < room.size(); ++i) least_room_[i] = std::min(least_room_[i], room[i]);
  }
}

const Values& Choice::values(const std::string& key) {
  const auto [at, fresh] = values_.try_emplace(key);
  if (fresh) at->second = design_.values(types_, key);
  return at->second;
}

bool Choice::satisfies(const Demand& demand) {
  const auto [at, fresh] = satisfies_.try_emplace(&demand, false);
  if (fresh) {
    at->second =
        std::all_of(types_.begin(), types_.end(), [&](size_t type) { return design_.satisfies(type, demand); });
  }
  return at->second;
}

Values Place::values(const std::string& key) const {
  if (view) {
    const auto& labels = view->labels();
    if (const auto at = labels.find(key); at != labels.end()) return {at->second};
    return key == model::kLabelHostname ? Values{name} : Values{};
  }
  if (key == model::kLabelHostname) return {name};
  return choice->values(key);
}

bool Place::satisfies(const Demand& demand) const { return view ? may_satisfy(demand) : choice->satisfies(demand); }

bool Place::may_satisfy(const Demand& demand) const {
  if (!view) {
    return std::any_of(choice->types().begin(), choice->types().end(),
                       [&](size_t type) { return choice->design().may_satisfy(type, demand); });
  }
  const auto& labels = view->labels();
  return std::all_of(demand.by_key().begin(), demand.by_key().end(), [&](const auto& entry) {
    const auto& [key, r] = entry;
    const auto at = labels.find(key);
    if (at != labels.end()) return r.allows(at->second);
    return key == model::kLabelHostname ? r.allows(name) : r.tolerates_absence();
  });
}

}  // namespace tenon::scheduling::check
